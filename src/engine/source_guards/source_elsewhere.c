/* Outside of the function, each declaration must stay as it was, in the same order. New may only
 * be helpers that are invisible elsewhere, types and constants. New declarations are marked: the
 * other rules check them. */
#include <string.h>

#include "engine/source_guards/source_impl.h"

/* CXCursor_Namespace, FunctionTemplate, CUDADeviceAttr, CUDAGlobalAttr */
enum { RAW_NAMESPACE = 22, RAW_TEMPLATE = 30, RAW_DEVICE = 413, RAW_GLOBAL = 414 };

static bool same_text(const struct source_side *a, size_t i, const struct source_side *b, size_t k)
{
    const struct syntax_node *x = &a->tree->nodes[i], *y = &b->tree->nodes[k];
    size_t p = source_first_token(a, x->start), q = source_first_token(b, y->start);
    for (;; p++, q++) {
        const bool in_a = p < a->tokens.n && a->tokens.list[p].start < x->end,
                   in_b = q < b->tokens.n && b->tokens.list[q].start < y->end;
        if (!in_a || !in_b)
            return in_a == in_b;
        const struct syntax_token *t = &a->tokens.list[p], *u = &b->tokens.list[q];
        if (t->end - t->start != u->end - u->start ||
            memcmp(a->tree->source + t->start, b->tree->source + u->start, t->end - t->start) != 0)
            return false;
    }
}

static bool same_node(const struct syntax_tree *a, size_t i, const struct syntax_tree *b, size_t k)
{
    const struct syntax_node *x = &a->nodes[i], *y = &b->nodes[k];
    return x->raw == y->raw && x->flags == y->flags && x->names == y->names && x->size == y->size &&
           x->value == y->value && x->bytes == y->bytes &&
           strcmp(syntax_name(a, i), syntax_name(b, k)) == 0 &&
           strcmp(syntax_type(a, i), syntax_type(b, k)) == 0;
}

/* Compares the tokens and what they refer to, and the enclosing scope. */
static bool same_declaration(const struct source_side *a, size_t i, const struct source_side *b,
                             size_t k)
{
    const struct syntax_tree *t = a->tree, *u = b->tree;
    const size_t above = t->nodes[i].parent, over = u->nodes[k].parent;
    if (t->nodes[above].raw != u->nodes[over].raw ||
        strcmp(syntax_name(t, above), syntax_name(u, over)) != 0)
        return false;
    if (t->nodes[i].kind == SYNTAX_SCOPE || u->nodes[k].kind == SYNTAX_SCOPE)
        return t->nodes[i].raw == u->nodes[k].raw &&
               strcmp(syntax_name(t, i), syntax_name(u, k)) == 0;
    if (t->nodes[i].size != u->nodes[k].size)
        return false;
    for (size_t at = 0; at < t->nodes[i].size; at++)
        if (!same_node(t, i + at, u, k + at))
            return false;
    return same_text(a, i, b, k);
}

static bool has_attribute(const struct syntax_tree *t, size_t i, unsigned raw)
{
    for (size_t c = syntax_first(t, i); c; c = syntax_next(t, c))
        if (t->nodes[c].raw == raw)
            return true;
    return false;
}

/* Whether code outside of the file, or of the device, cannot call a function. An unnamed
 * namespace hides it; extern "C" does not. */
static bool is_hidden_function(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i], *above = &t->nodes[n->parent];
    return (n->flags & SYNTAX_STATIC) || n->raw == RAW_TEMPLATE ||
           !(n->flags & SYNTAX_DEFINITION) || (above->raw == RAW_NAMESPACE && above->name == 0) ||
           has_attribute(t, i, RAW_DEVICE);
}

static int refuse_new_kernel(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    return source_refuse(k, GUARD_ELSEWHERE,
                         "line %u: %.60s is a new kernel, which only the host can launch",
                         t->nodes[i].line, syntax_name(t, i));
}

static int check_function(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    if ((n->flags & SYNTAX_DEFINITION) && has_attribute(t, i, RAW_GLOBAL))
        return refuse_new_kernel(k, i);
    if (!is_hidden_function(t, i))
        return source_refuse(k, GUARD_ELSEWHERE,
                             "line %u: %.60s is new, and others can call it: it is not static",
                             n->line, syntax_name(t, i));
    return 0;
}

static int check_new_declaration(const struct source_check *k, size_t i)
{
    const struct syntax_tree *t = k->candidate.tree;
    const struct syntax_node *n = &t->nodes[i];
    switch (n->kind) {
    case SYNTAX_FUNCTION:
        return check_function(k, i);
    case SYNTAX_TYPE: /* a class may have kernels as static members */
        for (size_t at = i; at < i + n->size; at++)
            if (t->nodes[at].raw == RAW_GLOBAL)
                return refuse_new_kernel(k, t->nodes[at].parent);
        return 0;
    case SYNTAX_SCOPE:
    case SYNTAX_VARIABLE: /* another rule */
    case SYNTAX_HARMLESS:
        return 0;
    default:
        return n->end - n->start <= 1
                   ? 0
                   : source_refuse(k, GUARD_ELSEWHERE, "line %u: a new declaration", n->line);
    }
}

static void mark_node_fresh(const struct source_check *k, size_t i)
{
    const struct syntax_node *n = &k->candidate.tree->nodes[i];
    for (size_t at = 0; at < (n->kind == SYNTAX_SCOPE ? 1 : n->size); at++)
        k->fresh[i + at] = true;
}

/* Goes over new declarations up to the one that is like `like`. Returns its node, or 0; *rc. */
static size_t pass_new(const struct source_check *k, size_t from, size_t like, int *rc)
{
    const struct syntax_tree *t = k->candidate.tree;
    size_t i = from;
    for (; i && *rc == 0; i = syntax_declaration(t, i)) {
        if (i == k->candidate.function) {
            mark_node_fresh(k, i);
            continue;
        }
        if (like && same_declaration(&k->baseline, like, &k->candidate, i))
            return i;
        mark_node_fresh(k, i);
        *rc = check_new_declaration(k, i);
    }
    return 0;
}

int source_check_elsewhere(struct source_check *k)
{
    const struct syntax_tree *b = k->baseline.tree, *c = k->candidate.tree;
    size_t at = syntax_declaration(c, 0);
    int rc = 0;
    for (size_t i = syntax_declaration(b, 0); i && rc == 0; i = syntax_declaration(b, i)) {
        if (i == k->baseline.function)
            continue;
        const size_t found = pass_new(k, at, i, &rc);
        if (rc == 0 && !found) {
            const char *name = syntax_name(b, i);
            rc = source_refuse(k, GUARD_ELSEWHERE,
                               "line %u of the baseline, %.60s, is changed or gone: only %.60s may "
                               "change",
                               b->nodes[i].line, *name ? name : "a declaration",
                               k->versions->function);
        }
        at = found ? syntax_declaration(c, found) : at;
    }
    pass_new(k, at, 0, &rc);
    return rc;
}
