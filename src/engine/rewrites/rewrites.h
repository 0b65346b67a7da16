/*
 * Rewritten sources, numbered: the same tree gives the same list. What each does is what the source
 * does, for all inputs, as far as that is defined in C.
 */
#ifndef ROOFTOP_ENGINE_REWRITES_REWRITES_H
#define ROOFTOP_ENGINE_REWRITES_REWRITES_H

#include "engine/source_guards/syntax.h"

struct rewrite {
    char *text; /* the whole source, of n bytes, ended by a 0; the caller frees it */
    size_t n;
    char note[128]; /* "unrolled the loop at line 12 by 4" */
};

/*
 * One of two ways. number: from 0. True with *out, or false: there are no more (or the tree has not
 * one definition of the function).
 *
 * rewrite_unroll, for `for (INIT; i < B; i += c) BODY`, a factor F from 2 to 8, K = (F - 1) * c:
 *
 *     INIT;
 *     for (; i < B && B - i > K;) { BODY i += c; ... F times }
 *     for (; i < B; i += c) BODY
 *
 * The second condition says that the F - 1 tests which are left out would be true: i + K < B. The
 * difference is computed without a sign, in the width of the comparison (C17 6.5.8, 6.3.1.8): i < B
 * holds, so it is the true one and cannot wrap, and B - i is never computed with a sign, so it
 * cannot overflow. The counter is changed by the source's own step between copies, so what it does
 * at the end of its range is as before. <=, > and >= likewise.
 *
 * rewrite_pragma: #pragma GCC unroll F (on GPUs #pragma unroll F), F of 2, 4 and 8: the compiler
 * proves that it may.
 */
typedef bool rewriter(const struct syntax_tree *t, const char *function, size_t number,
                      struct rewrite *out);
rewriter rewrite_unroll, rewrite_pragma;

#endif
