/* The step and the test of loops that count. */
#include <string.h>

#include "engine/rewrites/rewrites_impl.h"

/* CXCursor_TypeRef, _MemberRefExpr, _ConditionalOperator, _CStyleCastExpr */
enum { RAW_TYPE = 43, RAW_MEMBER = 102, RAW_CONDITIONAL = 116, RAW_CAST = 117 };

/* i++, ++i, i += c, and down. Returns the node of the counter, or 0. */
static size_t read_step(const struct loop_reading *r, size_t step, struct simple_loop *out)
{
    const struct syntax_tree *t = r->tree;
    const struct syntax_node *n = &t->nodes[step];
    const size_t first = loop_token_at(r, out->step.start), end = loop_token_at(r, out->step.end),
                 operand = syntax_first(t, step);
    const bool before = first < r->tokens->n && r->tokens->list[first].kind == TOKEN_SIGN;
    const size_t sign = first + !before, word = before ? first + 2 : first;
    if (!operand || t->nodes[operand].kind != SYNTAX_REFERENCE || n->start != out->step.start ||
        !(loop_token_is(r, sign, "+") || loop_token_is(r, sign, "-")) ||
        !loop_token_is(r, word, syntax_name(t, operand)))
        return 0;
    out->counter = (struct loop_span){r->tokens->list[word].start, r->tokens->list[word].end};
    out->down = loop_token_is(r, sign, "-");
    if (n->kind == SYNTAX_UNARY && end == first + 3 &&
        loop_token_is(r, sign + 1, out->down ? "-" : "+")) {
        out->by = 1;
        return t->nodes[operand].target;
    }
    const size_t second = syntax_next(t, operand), number = second ? loop_peel(t, second) : 0;
    if (n->kind != SYNTAX_ASSIGN || before || end != first + 4 ||
        !loop_token_is(r, sign + 1, "=") || !number || t->nodes[number].kind != SYNTAX_INTEGER ||
        t->nodes[number].value < 1 || t->nodes[number].value > LOOP_STEP_MOST)
        return 0;
    out->by = (uint32_t)t->nodes[number].value;
    return t->nodes[operand].target;
}

/* Whether a side of the comparison has the same value in the type in which it is compared. */
static bool keeps_value(const struct syntax_tree *t, size_t side)
{
    const struct syntax_node *as = &t->nodes[side], *is = &t->nodes[loop_peel(t, side)];
    if (as->bytes == 0 || as->bytes > 8 || is->bytes == 0 || is->bytes > as->bytes)
        return false;
    if (is->is_unsigned)
        return as->is_unsigned || as->bytes > is->bytes;
    return !as->is_unsigned || (is->kind == SYNTAX_INTEGER && is->value >= 0);
}

/* -, + or ~ of a value, not ++, --, * or &. */
static bool is_sign(const struct loop_reading *r, size_t unary)
{
    const size_t i = loop_token_at(r, r->tree->nodes[unary].start);
    return loop_token_is(r, i, "~") ||
           ((loop_token_is(r, i, "-") || loop_token_is(r, i, "+")) && i + 1 < r->tokens->n &&
            r->tokens->list[i + 1].kind != TOKEN_SIGN);
}

/* l.n: of a struct that stays. */
static bool member_stays(const struct loop_reading *r, size_t member, size_t loop)
{
    const struct syntax_tree *t = r->tree;
    size_t of = member;
    while (t->nodes[of].raw == RAW_MEMBER && syntax_first(t, of))
        of = syntax_first(t, of);
    return t->nodes[of].kind == SYNTAX_REFERENCE && t->nodes[of].raw != RAW_MEMBER &&
           loop_use_of(t, member) == USE_READ &&
           loop_record_stays(r, t->nodes[of].target, loop, loop + t->nodes[loop].size);
}

/* An expression of numbers and of variables that do not change. */
static bool bound_stays(const struct loop_reading *r, size_t bound, size_t loop, size_t counter)
{
    const struct syntax_tree *t = r->tree;
    for (size_t i = bound; i < bound + t->nodes[bound].size; i++) {
        const struct syntax_node *n = &t->nodes[i];
        bool stays = n->bytes > 0;
        switch (n->kind) {
        case SYNTAX_IMPLICIT:
        case SYNTAX_PARENTHESES:
        case SYNTAX_INTEGER:
        case SYNTAX_BINARY:
            break;
        case SYNTAX_UNARY:
            stays &= is_sign(r, i);
            break;
        case SYNTAX_REFERENCE:
            if (n->raw == RAW_MEMBER) {
                stays &= member_stays(r, i, loop);
                i += n->size - 1;
            } else
                stays &= n->target != counter && loop_use_of(t, i) == USE_READ &&
                         loop_stays(r, n->target, loop, loop + t->nodes[loop].size);
            break;
        default:
            stays &= n->raw == RAW_CONDITIONAL || n->raw == RAW_CAST || n->raw == RAW_TYPE;
        }
        if (!stays)
            return false;
    }
    return true;
}

static const char *read_test(const struct loop_reading *r, size_t test, size_t counter,
                             struct simple_loop *out)
{
    static const char no_test[] = "its condition is not its counter against a bound";
    const struct syntax_tree *t = r->tree;
    const size_t first = loop_token_at(r, out->test.start), left = syntax_first(t, test),
                 right = left ? syntax_next(t, left) : 0;
    const struct syntax_token *list = r->tokens->list;
    if (t->nodes[test].kind != SYNTAX_BINARY || !right || loop_peel(t, left) == left ||
        t->nodes[loop_peel(t, left)].target != counter || t->nodes[test].start != out->test.start ||
        !loop_token_is(r, first, syntax_name(t, loop_peel(t, left))) ||
        !loop_token_is(r, first + 1, out->down ? ">" : "<"))
        return no_test;
    out->inclusive = loop_token_is(r, first + 2, "=");
    const size_t bound = first + 2 + out->inclusive;
    if (bound >= r->tokens->n || list[bound].start != t->nodes[right].start ||
        list[bound].start >= out->test.end)
        return no_test;
    out->bound = (struct loop_span){list[bound].start, out->test.end};
    if (!keeps_value(t, left) || !keeps_value(t, right) ||
        t->nodes[left].bytes != t->nodes[right].bytes)
        return "its counter and its bound are compared with another value, or are no whole numbers";
    out->wide = t->nodes[left].bytes > 4;
    return bound_stays(r, right, out->node, counter) ? NULL : "its bound may change";
}

const char *simple_loop_read(const struct loop_reading *r, size_t node, struct simple_loop *out)
{
    const struct syntax_tree *t = r->tree;
    const char *why = loop_body_read(r, node, out);
    size_t children[4], n = 0;
    if (why)
        return why;
    for (size_t c = syntax_first(t, node); c; c = syntax_next(t, c)) {
        if (n == 4)
            return "it has more parts than a for";
        children[n++] = c;
    }
    if (n != 3 + (size_t)(out->init.start < out->init.end))
        return "a part of its head is missing";
    const size_t test = children[n - 3], step = children[n - 2], body = children[n - 1],
                 counter = read_step(r, step, out);
    if (!counter)
        return "its step is no constant";
    if (!loop_stays(r, counter, body, body + t->nodes[body].size))
        return "its counter may change elsewhere";
    return read_test(r, test, counter, out);
}
