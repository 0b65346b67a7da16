/* Rewritten sources, numbered: the same tree gives the same list. Each computes the same as the
 * source, for all inputs for which C defines the result. */
#pragma once

#include "engine/source_guards/syntax.h"

enum { REWRITE_NOTE = 128 };
struct rewrite {
    char *text; /* the whole source, of n bytes, ended by a 0; the caller frees it */
    size_t n;
    unsigned line;           /* of the loop */
    char note[REWRITE_NOTE]; /* "unrolled the loop at line 12 by 4" */
};

/*
 * One of some ways. number: from 0. True with *out, or false: there are no more (or the tree has
 * not one definition of the function).
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
 *
 * rewrite_accumulators: as rewrite_unroll, but the F copies are a loop, and what they add to goes
 * into F variables, which are joined behind it: what waits for the sum before waits no more, and a
 * compiler may use vectors. Sums of real numbers round otherwise. Those of whole numbers are
 * computed without a sign, modulo the size of the type, so no other order overflows.
 *
 * rewrite_options: the function gets GCC's attribute optimize("O3"), and no other meaning.
 * rewrite_vectorise: innermost loops get clang's pragma that asks for vectors, which lets it add
 * real numbers in another order.
 * rewrite_restrict: pointer parameters get __restrict. That is a promise: no array overlaps
 * another.
 */
typedef bool rewriter(const struct syntax_tree *t, const char *function, size_t number,
                      struct rewrite *out);
rewriter rewrite_unroll, rewrite_pragma, rewrite_accumulators, rewrite_options, rewrite_vectorise,
    rewrite_restrict;
