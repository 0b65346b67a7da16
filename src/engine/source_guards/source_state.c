/* Data that is kept between calls, and functions that are called. */
#include <stdlib.h>
#include <string.h>

#include "engine/source_guards/source_impl.h"

/* The names in the baseline's function that refer to something of this kind; sorted. */
static struct source_set names_of(const struct source_check *k, enum syntax_kind kind)
{
    const struct syntax_tree *t = k->baseline.tree;
    const size_t f = k->baseline.function;
    struct source_set set = {.list = NULL};
    for (size_t i = f; i < f + t->nodes[f].size; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (((n->kind == SYNTAX_REFERENCE || n->kind == SYNTAX_CALL) ? n->names : n->kind) ==
            (uint16_t)kind)
            source_set_add(&set, syntax_name(t, i));
    }
    source_set_sort(&set);
    return set;
}

static bool is_shared(const struct syntax_tree *t, size_t variable)
{
    for (size_t c = syntax_first(t, variable); c; c = syntax_next(t, c))
        if (t->nodes[c].kind == SYNTAX_SHARED)
            return true;
    return false;
}

/* --- variables --- */

static int check_variable(const struct source_check *k, const struct source_set *was, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (source_set_has(was, name) && i > k->candidate.function &&
        i < k->candidate.function + t->nodes[k->candidate.function].size)
        return 0; /* of the function, and it was there */
    if (n->flags & SYNTAX_THREAD)
        return source_refuse(k, GUARD_STATIC, "line %u: %.60s is thread-local", n->line, name);
    if (is_shared(t, i))
        return !(n->flags & (SYNTAX_EXTERN | SYNTAX_DYNAMIC))
                   ? 0
                   : source_refuse(k, GUARD_STATIC,
                                   "line %u: %.60s is dynamic shared memory, which the launch does "
                                   "not give",
                                   n->line, name);
    if ((n->flags & (SYNTAX_GLOBAL | SYNTAX_STATIC | SYNTAX_EXTERN)) &&
        !(n->flags & SYNTAX_CONSTANT))
        return source_refuse(k, GUARD_STATIC, "line %u: %.60s keeps its value between calls",
                             n->line, name);
    return 0;
}

static int check_variable_use(const struct source_check *k, const struct source_set *was, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (!(n->flags & (SYNTAX_GLOBAL | SYNTAX_STATIC | SYNTAX_EXTERN)) ||
        (n->flags & SYNTAX_CONSTANT) || (n->target && k->fresh[n->target]) ||
        source_set_has(was, name))
        return 0;
    return source_refuse(k, GUARD_STATIC, "line %u: it uses the variable %.60s, which it did not",
                         n->line, name);
}

int source_check_state(const struct source_check *k)
{
    const struct syntax_tree *t = k->candidate.tree;
    struct source_set was = names_of(k, SYNTAX_VARIABLE);
    int rc = 0;
    for (size_t i = 1; i < t->count && rc == 0; i++) {
        if (!k->fresh[i])
            continue;
        if (t->nodes[i].kind == SYNTAX_VARIABLE)
            rc = check_variable(k, &was, i);
        else if (t->nodes[i].kind == SYNTAX_REFERENCE && t->nodes[i].names == SYNTAX_VARIABLE)
            rc = check_variable_use(k, &was, i);
    }
    source_set_free(&was);
    return rc;
}

/* --- calls --- */

struct calls {
    const struct source_check *k;
    struct source_set was; /* functions that the baseline's function names */
    struct source_set own; /* new types and functions */
    uint32_t *casts;       /* of source_count_nodes */
};

/* The names of new types and functions; sorted. */
static struct source_set fresh_names(const struct source_check *k)
{
    const struct syntax_tree *t = k->candidate.tree;
    struct source_set set = {.list = NULL};
    for (size_t i = 1; i < t->count; i++)
        if (k->fresh[i] && (t->nodes[i].kind == SYNTAX_TYPE || t->nodes[i].kind == SYNTAX_FUNCTION))
            source_set_add(&set, syntax_name(t, i));
    source_set_sort(&set);
    return set;
}

/* Code of this file that the rules check: a new helper, a lambda, implicit functions of a new
 * type. */
static bool is_own_callee(const struct calls *c, const struct syntax_node *n, const char *name)
{
    const struct source_check *k = c->k;
    if (n->flags & SYNTAX_ELSEWHERE)
        return false;
    if (n->target) /* a prototype alone may belong to a library */
        return k->fresh[n->target] &&
               (k->candidate.tree->nodes[n->target].flags & SYNTAX_DEFINITION);
    return strncmp(name, "operator", 8) == 0 || source_set_has(&c->own, name);
}

static int check_function_use(const struct calls *c, size_t i)
{
    const struct source_check *k = c->k;
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (is_own_callee(c, n, name) || source_set_has(&c->was, name))
        return 0;
    const enum source_name what = (enum source_name)k->candidate.names[i];
    if (what == NAME_TIME || what == NAME_WORLD || what == NAME_STACK)
        return source_refuse(k, GUARD_LIBRARY, "line %u: %.60s, %s", n->line, name,
                             source_name_words(what));
    if (what != NAME_PLAIN)
        return 0;
    return source_refuse(k, GUARD_LIBRARY, "line %u: it calls %.60s of %s, which it did not",
                         n->line, name, n->target ? "the baseline" : "a library");
}

/* CXCursor_CStyleCastExpr to CXXFunctionalCastExpr */
static bool is_cast(const void *ctx, const struct syntax_tree *t, size_t node)
{
    const uint16_t raw = t->nodes[node].raw;
    (void)ctx;
    return raw == 117 || (raw >= 124 && raw <= 128);
}

/* A call through a pointer: only if the pointer is a constant with a visible value. */
static int check_pointer_call(const struct calls *c, size_t call)
{
    const struct source_check *k = c->k;
    const struct syntax_tree *t = k->candidate.tree;
    const size_t callee = syntax_first(t, call), end = callee ? callee + t->nodes[callee].size : 0;
    for (size_t i = callee; i < end; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->kind != SYNTAX_REFERENCE || n->names == SYNTAX_FUNCTION)
            continue;
        if (n->names == SYNTAX_VARIABLE && (n->flags & SYNTAX_CONSTANT) && n->target &&
            !source_has_node(t, c->casts, n->target) && !source_has_node(t, c->casts, callee))
            return 0;
        break;
    }
    return source_refuse(k, GUARD_LIBRARY, "line %u: a call through a pointer that is no constant",
                         t->nodes[call].line);
}

static bool baseline_calls_pointers(const struct source_check *k)
{
    const struct syntax_tree *t = k->baseline.tree;
    const size_t f = k->baseline.function;
    for (size_t i = f; i < f + t->nodes[f].size; i++)
        if (t->nodes[i].kind == SYNTAX_CALL && t->nodes[i].names != SYNTAX_FUNCTION)
            return true;
    return false;
}

static size_t count_assemblies(const struct source_side *s, const bool *fresh)
{
    size_t n = 0;
    for (size_t i = 1; i < s->tree->count; i++)
        n += s->tree->nodes[i].kind == SYNTAX_ASSEMBLY && (!fresh || fresh[i]);
    return n;
}

int source_check_calls(const struct source_check *k)
{
    const struct syntax_tree *t = k->candidate.tree;
    const bool pointers = baseline_calls_pointers(k);
    struct calls c = {.k = k,
                      .was = names_of(k, SYNTAX_FUNCTION),
                      .own = fresh_names(k),
                      .casts = source_count_nodes(t, is_cast, NULL)};
    int rc = 0;
    if (count_assemblies(&k->candidate, k->fresh) > count_assemblies(&k->baseline, NULL))
        rc = source_refuse(k, GUARD_ASSEMBLY, "inline assembly that was not there before");
    for (size_t i = 1; i < t->count && rc == 0; i++) {
        const struct syntax_node *n = &t->nodes[i];
        const bool call = n->kind == SYNTAX_CALL, reference = n->kind == SYNTAX_REFERENCE;
        if (!k->fresh[i] || (!call && !reference))
            continue;
        if (n->names == SYNTAX_FUNCTION || n->names == SYNTAX_REFERENCE)
            rc = check_function_use(&c, i);
        else if (call && !pointers)
            rc = check_pointer_call(&c, i);
    }
    source_set_free(&c.was);
    source_set_free(&c.own);
    free(c.casts);
    return rc;
}
