/* What stays between calls, and what is called. */
#include <string.h>

#include "engine/source_guards/source_impl.h"

/* Whether the baseline's function has a node of this kind that names this. */
static bool was_named(const struct source_check *k, enum syntax_kind kind, const char *name)
{
    const struct syntax_tree *t = k->baseline.tree;
    const size_t f = k->baseline.function;
    for (size_t i = f; i < f + t->nodes[f].size; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (((n->kind == SYNTAX_REFERENCE || n->kind == SYNTAX_CALL) ? n->names : n->kind) ==
                (uint16_t)kind &&
            strcmp(syntax_name(t, i), name) == 0)
            return true;
    }
    return false;
}

static bool is_shared(const struct syntax_tree *t, size_t variable)
{
    for (size_t c = syntax_first(t, variable); c; c = syntax_next(t, c))
        if (t->nodes[c].kind == SYNTAX_SHARED)
            return true;
    return false;
}

/* --- variables --- */

static int check_variable(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (was_named(k, SYNTAX_VARIABLE, name) && i > k->candidate.function &&
        i < k->candidate.function + t->nodes[k->candidate.function].size)
        return 0; /* of the function, and it was there */
    if (n->flags & SYNTAX_THREAD)
        return source_object(k, GUARD_STATIC, "line %u: %.60s is thread-local", n->line, name);
    if (is_shared(t, i))
        return !(n->flags & SYNTAX_EXTERN)
                   ? 0
                   : source_object(k, GUARD_STATIC,
                                   "line %u: %.60s is dynamic shared memory, which the launch does "
                                   "not give",
                                   n->line, name);
    if ((n->flags & (SYNTAX_GLOBAL | SYNTAX_STATIC | SYNTAX_EXTERN)) &&
        !(n->flags & SYNTAX_CONSTANT))
        return source_object(k, GUARD_STATIC, "line %u: %.60s keeps its value between calls",
                             n->line, name);
    return 0;
}

static int check_variable_use(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (!(n->flags & (SYNTAX_GLOBAL | SYNTAX_STATIC | SYNTAX_EXTERN)) ||
        (n->flags & SYNTAX_CONSTANT) || (n->target && k->fresh[n->target]) ||
        was_named(k, SYNTAX_VARIABLE, name))
        return 0;
    return source_object(k, GUARD_STATIC, "line %u: it uses the variable %.60s, which it did not",
                         n->line, name);
}

int source_check_state(const struct source_check *k)
{
    const struct syntax_tree *t = k->candidate.tree;
    int rc = 0;
    for (size_t i = 1; i < t->count && rc == 0; i++) {
        if (!k->fresh[i])
            continue;
        if (t->nodes[i].kind == SYNTAX_VARIABLE)
            rc = check_variable(k, i);
        else if (t->nodes[i].kind == SYNTAX_REFERENCE && t->nodes[i].names == SYNTAX_VARIABLE)
            rc = check_variable_use(k, i);
    }
    return rc;
}

/* --- calls --- */

static bool has_fresh(const struct source_check *k, enum syntax_kind kind, const char *name)
{
    const struct syntax_tree *t = k->candidate.tree;
    for (size_t i = 1; i < t->count; i++)
        if (k->fresh[i] && t->nodes[i].kind == (uint16_t)kind &&
            strcmp(syntax_name(t, i), name) == 0)
            return true;
    return false;
}

/* Code of this file that the rules see: a new helper, a lambda, what a new type does by itself. */
static bool is_own(const struct source_check *k, const struct syntax_node *n, const char *name)
{
    if (n->flags & SYNTAX_ELSEWHERE)
        return false;
    if (n->target) /* a prototype alone may be of a library */
        return k->fresh[n->target] &&
               (k->candidate.tree->nodes[n->target].flags & SYNTAX_DEFINITION);
    return strncmp(name, "operator", 8) == 0 || has_fresh(k, SYNTAX_TYPE, name) ||
           has_fresh(k, SYNTAX_FUNCTION, name);
}

static int check_function_use(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    const char *name = syntax_name(t, i);
    if (is_own(k, n, name) || was_named(k, SYNTAX_FUNCTION, name))
        return 0;
    const enum source_name what = source_name_of(name);
    if (what == NAME_TIME || what == NAME_WORLD || what == NAME_STACK)
        return source_object(k, GUARD_LIBRARY, "line %u: %.60s, %s", n->line, name,
                             source_name_words(what));
    if (what != NAME_PLAIN)
        return 0;
    return source_object(k, GUARD_LIBRARY, "line %u: it calls %.60s of %s, which it did not",
                         n->line, name, n->target ? "the baseline" : "a library");
}

/* CXCursor_CStyleCastExpr to CXXFunctionalCastExpr */
static bool is_cast(const struct syntax_node *n)
{
    return n->raw == 117 || (n->raw >= 124 && n->raw <= 128);
}

static bool has_cast(const struct syntax_tree *t, size_t node)
{
    for (size_t i = node; i < node + t->nodes[node].size; i++)
        if (is_cast(&t->nodes[i]))
            return true;
    return false;
}

/* Through a pointer: only of a constant, whose value is seen. */
static int check_pointer_call(const struct source_check *k, size_t call)
{
    const struct syntax_tree *t = k->candidate.tree;
    const size_t callee = syntax_first(t, call), end = callee ? callee + t->nodes[callee].size : 0;
    for (size_t i = callee; i < end; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->kind != SYNTAX_REFERENCE || n->names == SYNTAX_FUNCTION)
            continue;
        if (n->names == SYNTAX_VARIABLE && (n->flags & SYNTAX_CONSTANT) && n->target &&
            !has_cast(t, n->target) && !has_cast(t, callee))
            return 0;
        break;
    }
    return source_object(k, GUARD_LIBRARY, "line %u: a call through a pointer that is no constant",
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

static size_t assemblies(const struct source_side *s, const bool *fresh)
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
    int rc = 0;
    if (assemblies(&k->candidate, k->fresh) > assemblies(&k->baseline, NULL))
        rc = source_object(k, GUARD_ASSEMBLY, "inline assembly that was not there before");
    for (size_t i = 1; i < t->count && rc == 0; i++) {
        const struct syntax_node *n = &t->nodes[i];
        const bool call = n->kind == SYNTAX_CALL, reference = n->kind == SYNTAX_REFERENCE;
        if (!k->fresh[i] || (!call && !reference))
            continue;
        if (n->names == SYNTAX_FUNCTION || n->names == SYNTAX_REFERENCE)
            rc = check_function_use(k, i);
        else if (call && !pointers)
            rc = check_pointer_call(k, i);
    }
    return rc;
}
