#include "engine/rewrites/rewrites_impl.h"

#include <stdlib.h>
#include <string.h>

enum { RAW_TRY = 224 }; /* CXCursor_CXXTryStmt */

/* The sign of the token at i: one of these; else 0. */
static char sign_at(const struct loop_reading *r, size_t i, const char *signs)
{
    if (i >= r->tokens->n || r->tokens->list[i].kind != TOKEN_SIGN)
        return 0;
    const char c = r->tree->source[r->tokens->list[i].start];
    return strchr(signs, c) ? c : '\0';
}

static char class_of(char sign)
{
    return sign == '-' ? '+' : sign;
}

/* The added value must not be wider than the accumulator, which is unsigned and has 4 or 8
 * bytes: the sum is computed modulo its size. */
static bool may_be_added(const struct syntax_tree *t, const struct loop_sum *s, size_t value)
{
    const uint32_t bytes = t->nodes[value].bytes;
    return s->real || (bytes > 0 && bytes <= (s->wide ? 8 : 4));
}

/* An expression statement: its value is not the condition of an if. */
static bool is_alone(const struct loop_reading *r, size_t node)
{
    const struct syntax_tree *t = r->tree;
    const size_t parent = t->nodes[node].parent;
    return loop_is_statement(t, node) &&
           (t->nodes[parent].kind == SYNTAX_BLOCK || syntax_first(t, parent) != node) &&
           loop_token_is(r, loop_token_at(r, t->nodes[node].end), ";");
}

/* s += E, s -= E, s *= E, s &= E, s |= E, s ^= E: the class of the sign, or 0. */
static char read_assign(const struct loop_reading *r, size_t reference, size_t assign,
                        const struct loop_sum *s)
{
    const struct syntax_tree *t = r->tree;
    const size_t value = syntax_next(t, reference),
                 sign = loop_token_at(r, t->nodes[reference].end);
    if (syntax_first(t, assign) != reference || !value || !may_be_added(t, s, value) ||
        !loop_token_is(r, sign + 1, "=") || !is_alone(r, assign))
        return 0;
    return class_of(sign_at(r, sign, s->real ? "+-*" : "+-*&|^"));
}

/* s++, ++s, s--, --s */
static char read_count(const struct loop_reading *r, size_t unary)
{
    const struct syntax_node *n = &r->tree->nodes[unary];
    const char *text = r->tree->source;
    const char c = n->end >= n->start + 3 ? text[n->start] : '\0';
    const bool before = c == '+' || c == '-',
               twice = before ? text[n->start + 1] == c : text[n->end - 1] == text[n->end - 2];
    const char sign = before ? c : text[n->end - 1];
    return is_alone(r, unary) && twice && (sign == '+' || sign == '-') ? '+' : '\0';
}

/* Whether a node is a read of the variable, and nothing else. */
static bool is_read_of(const struct syntax_tree *t, size_t node, size_t variable)
{
    const size_t of = loop_peel(t, node);
    return t->nodes[of].kind == SYNTAX_REFERENCE && t->nodes[of].target == variable;
}

/* s = s + E, s = E + s, s = s - E and so on; reference is one of the two. */
static char read_sum(const struct loop_reading *r, size_t reference, const struct loop_sum *s)
{
    const struct syntax_tree *t = r->tree;
    size_t at = reference, steps = 0;
    while (steps++ < 32 && !(t->nodes[at].kind == SYNTAX_BINARY && is_alone(r, at)) && at)
        at = t->nodes[at].parent;
    const size_t to = at ? syntax_first(t, at) : 0;
    const size_t value = to ? syntax_next(t, to) : 0;
    if (t->nodes[at].kind != SYNTAX_BINARY || !value || t->nodes[to].kind != SYNTAX_REFERENCE ||
        t->nodes[to].target != s->variable ||
        !loop_token_is(r, loop_token_at(r, t->nodes[to].end), "="))
        return 0;
    const size_t sum = loop_peel(t, value), left = syntax_first(t, sum),
                 right = left ? syntax_next(t, left) : 0;
    if (t->nodes[sum].kind != SYNTAX_BINARY || !right || !may_be_added(t, s, sum))
        return 0;
    const size_t sign = loop_token_at(r, t->nodes[left].end);
    const bool from_left = is_read_of(t, left, s->variable);
    if (from_left == is_read_of(t, right, s->variable) ||
        (reference != to && reference != loop_peel(t, from_left ? left : right)) ||
        r->tokens->list[sign].start > t->nodes[right].start)
        return 0;
    const char *signs = s->real ? "-+*" : "-+*&|^"; /* s = E - s is no sum */
    return class_of(sign_at(r, sign, from_left ? signs : signs + 1));
}

static char read_use(const struct loop_reading *r, size_t reference, const struct loop_sum *s)
{
    const struct syntax_tree *t = r->tree;
    const size_t parent = t->nodes[reference].parent;
    if (t->nodes[parent].kind == SYNTAX_ASSIGN)
        return read_assign(r, reference, parent, s);
    if (t->nodes[parent].kind == SYNTAX_UNARY)
        return read_count(r, parent);
    return read_sum(r, reference, s);
}

/* Whether text and tree agree that the variable stands there; then it is kept. */
static bool add_use(const struct loop_reading *r, size_t reference, size_t sum,
                    struct loop_sums *out)
{
    const struct syntax_node *n = &r->tree->nodes[reference];
    const size_t token = loop_token_at(r, n->start);
    if (out->nuses == SUM_USES_MOST || token >= r->tokens->n ||
        r->tokens->list[token].start != n->start ||
        !loop_token_is(r, token, syntax_name(r->tree, reference)) ||
        r->tokens->list[token].end != n->end)
        return false;
    out->uses[out->nuses++] = (struct loop_sum_use){n->start, n->end, sum};
    return true;
}

/* All that the loop does with the variable is one kind of sum, in its body. */
static bool is_sum(const struct loop_reading *r, const struct simple_loop *l, size_t variable,
                   struct loop_sums *out)
{
    const struct syntax_tree *t = r->tree;
    const size_t end = l->node + t->nodes[l->node].size, nuses = out->nuses;
    struct loop_sum *s = &out->list[out->n];
    *s = (struct loop_sum){.variable = variable,
                           .real = t->nodes[variable].bytes == 0,
                           .wide = t->nodes[variable].bytes > 4};
    bool fits = loop_is_private(r, variable);
    for (size_t i = l->node; i < end && fits; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->kind != SYNTAX_REFERENCE || n->target != variable)
            continue;
        const char sign =
            n->start >= l->body.start && n->end <= l->body.end ? read_use(r, i, s) : '\0';
        fits = sign && (!s->sign || s->sign == sign) && add_use(r, i, out->n, out);
        s->sign = sign;
    }
    if (!fits || !s->sign)
        out->nuses = nuses;
    return fits && s->sign;
}

static int by_start(const void *a, const void *b)
{
    const struct loop_sum_use *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* An exception could leave the loop, and its handler could read the sums. */
static bool has_try_block(const struct loop_reading *r)
{
    const struct syntax_node *nodes = r->tree->nodes;
    for (size_t i = r->function; i < r->function + nodes[r->function].size; i++)
        if (nodes[i].raw == RAW_TRY)
            return true;
    return false;
}

bool loop_sums_read(const struct loop_reading *r, const struct simple_loop *l,
                    struct loop_sums *out)
{
    const struct syntax_tree *t = r->tree;
    *out = (struct loop_sums){.n = 0};
    for (size_t v = r->function + 1; v < l->node && out->n < SUMS_MOST; v++)
        if (t->nodes[v].kind == SYNTAX_VARIABLE || t->nodes[v].kind == SYNTAX_PARAMETER)
            out->n += is_sum(r, l, v, out);
    qsort(out->uses, out->nuses, sizeof *out->uses, by_start);
    for (size_t i = 1; i < out->nuses; i++)
        if (out->uses[i].start == out->uses[i - 1].start)
            return false; /* two in one place: a macro */
    return out->n > 0 && !has_try_block(r);
}
