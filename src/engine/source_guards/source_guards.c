#include "engine/source_guards/source_guards.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/source_guards/source_impl.h"

int source_refuse(const struct source_check *k, enum judge_guard guard, const char *format, ...)
{
    char text[JUDGE_EVIDENCE];
    va_list args;
    if (k->versions->allow && k->versions->allow[guard])
        return 0;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return judge_refuse(k->out, guard, "%s", text);
}

/* 0, 1, or UNREAD where that is allowed. */
enum { UNREAD = 2 };
static int find_function(struct source_check *k, struct source_side *side, const char *which)
{
    bool several;
    side->function = syntax_function(side->tree, k->versions->function, &several);
    if (side->function)
        return 0;
    return source_refuse(k, GUARD_PARSE, "the %s %s %.100s", which,
                         several ? "has more than one definition of" : "does not define",
                         k->versions->function)
               ? 1
               : UNREAD;
}

/* --- signature --- */

/* Attributes and kinds of parameters, without their names. */
static size_t next_parameter(const struct syntax_tree *t, size_t function, size_t after)
{
    for (size_t i = after ? syntax_next(t, after) : syntax_first(t, function); i;
         i = syntax_next(t, i))
        if (t->nodes[i].kind == SYNTAX_PARAMETER)
            return i;
    return 0;
}

/* CUDA's and HIP's attributes of a function (CXCursor_CUDADeviceAttr 413, Global 414, Host 415),
 * visibility 417, export 418 and 419: they are a part of how it is called. */
static unsigned binding_of_function(const struct syntax_tree *t, size_t function)
{
    unsigned bits = 0;
    for (size_t i = syntax_first(t, function); i; i = syntax_next(t, i))
        if (t->nodes[i].raw >= 413 && t->nodes[i].raw <= 419)
            bits |= 1U << (t->nodes[i].raw - 413);
    return bits;
}

static int check_signature(const struct source_check *k)
{
    const struct syntax_tree *b = k->baseline.tree, *c = k->candidate.tree;
    const size_t was = k->baseline.function, is = k->candidate.function;
    if (b->nodes[was].raw != c->nodes[is].raw ||
        strcmp(syntax_type(b, was), syntax_type(c, is)) != 0)
        return source_refuse(k, GUARD_SIGNATURE, "it was %.120s, and is %.120s",
                             syntax_type(b, was), syntax_type(c, is));
    if ((b->nodes[was].flags ^ c->nodes[is].flags) & (SYNTAX_STATIC | SYNTAX_EXTERN) ||
        binding_of_function(b, was) != binding_of_function(c, is))
        return source_refuse(k, GUARD_SIGNATURE, "line %u: it is bound in another way than before",
                             c->nodes[is].line);
    size_t p = 0, q = 0;
    do {
        p = next_parameter(b, was, p);
        q = next_parameter(c, is, q);
        if (p && q && b->nodes[p].bytes != c->nodes[q].bytes)
            return source_refuse(k, GUARD_SIGNATURE, "line %u: %.60s has another size",
                                 c->nodes[q].line, syntax_name(c, q));
    } while (p && q);
    return 0;
}

int source_guards_check(const struct source_versions *v, struct judge_refusal *out)
{
    struct source_check k = {.versions = v, .out = out};
    *out = (struct judge_refusal){.guard = JUDGE_NO_GUARD};
    k.fresh = xcalloc(v->candidate->count, sizeof *k.fresh);
    source_side_open(&k.baseline, v->baseline);
    source_side_open(&k.candidate, v->candidate);
    int rc = find_function(&k, &k.baseline, "baseline");
    if (rc == 0)
        rc = find_function(&k, &k.candidate, "candidate");
    if (rc == 0)
        rc = check_signature(&k);
    if (rc == 0)
        rc = source_check_text(&k);
    if (rc == 0)
        rc = source_check_elsewhere(&k);
    if (rc == 0)
        rc = source_check_state(&k);
    if (rc == 0)
        rc = source_check_calls(&k);
    if (rc == 0)
        rc = source_check_unroll(&k);
    if (rc == 0)
        rc = source_check_waves(&k);
    if (rc == 0)
        rc = source_check_barriers(&k);
    source_side_close(&k.baseline);
    source_side_close(&k.candidate);
    free(k.fresh);
    return rc == UNREAD ? 0 : rc;
}
