#include "engine/rewrites/simple_loop.h"

#include <string.h>

#include "base/words.h"
#include "engine/source_guards/source_guards.h"

enum { RAW_CASE = 203, RAW_DEFAULT = 204 }; /* CXCursor_CaseStmt, CXCursor_DefaultStmt */

static bool token_is(const struct loop_reading *r, size_t i, const char *word)
{
    return i < r->tokens->n && syntax_token_is(r->tree->source, &r->tokens->list[i], word);
}

/* The first token that begins at or behind a byte. */
static size_t token_at(const struct loop_reading *r, uint32_t start)
{
    size_t low = 0, high = r->tokens->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->tokens->list[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* +1 of an opening bracket, -1 of a closing one, else 0. */
static int nesting(const struct loop_reading *r, size_t i)
{
    const struct syntax_token *t = &r->tokens->list[i];
    if (t->kind != TOKEN_SIGN)
        return 0;
    const char c = r->tree->source[t->start];
    return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
}

/* --- where it stands --- */

/* In no condition of the preprocessor, in no argument of a macro, under no pragma or attribute. */
static const char *check_place(const struct loop_reading *r, size_t token)
{
    int conditions = 0, parentheses = 0;
    const uint32_t begin = r->tree->nodes[r->function].start;
    for (size_t i = 0; i < token; i++) {
        const struct syntax_token *t = &r->tokens->list[i];
        if (t->directive == 2) {
            conditions += token_is(r, i + 1, "if") || token_is(r, i + 1, "ifdef") ||
                          token_is(r, i + 1, "ifndef");
            conditions -= token_is(r, i + 1, "endif");
        }
        if (t->start >= begin && t->directive == 0)
            parentheses += token_is(r, i, "(") - token_is(r, i, ")");
    }
    if (conditions > 0)
        return "it stands under a condition of the preprocessor";
    if (parentheses != 0)
        return "it stands in the argument of a macro";
    if (token > 0 && (r->tokens->list[token - 1].directive != 0 || token_is(r, token - 1, "]")))
        return "a pragma or an attribute stands above it";
    return NULL;
}

static struct loop_span span_of(const struct loop_reading *r, size_t from, size_t end)
{
    const struct syntax_token *list = r->tokens->list;
    if (from >= end)
        return (struct loop_span){list[end].start, list[end].start};
    return (struct loop_span){list[from].start, list[end - 1].end};
}

/* for ( INIT ; TEST ; STEP ): *after is the token behind it. */
static bool read_head(const struct loop_reading *r, size_t token, struct simple_loop *out,
                      size_t *after)
{
    size_t semicolons[2], found = 0, i = token + 2;
    int depth = 1;
    if (!token_is(r, token, "for") || !token_is(r, token + 1, "("))
        return false;
    for (; i < r->tokens->n; i++) {
        depth += nesting(r, i);
        if (depth == 0)
            break;
        if (depth == 1 && token_is(r, i, ";")) {
            if (found == 2)
                return false;
            semicolons[found++] = i;
        }
    }
    if (found != 2 || i + 1 >= r->tokens->n)
        return false;
    out->init = span_of(r, token + 2, semicolons[0]);
    out->test = span_of(r, semicolons[0] + 1, semicolons[1]);
    out->step = span_of(r, semicolons[1] + 1, i);
    *after = i + 1;
    return true;
}

static bool is_expression(uint16_t kind)
{
    return kind == SYNTAX_BINARY || kind == SYNTAX_ASSIGN || kind == SYNTAX_UNARY ||
           kind == SYNTAX_CALL || kind == SYNTAX_IMPLICIT;
}

/* The body: a block, or an expression with its semicolon. */
static bool read_body(const struct loop_reading *r, size_t body, size_t token,
                      struct simple_loop *out)
{
    const struct syntax_node *n = &r->tree->nodes[body];
    int depth = 0;
    size_t end = token;
    if (r->tokens->list[token].start != n->start)
        return false;
    out->body.start = n->start;
    if (n->kind == SYNTAX_BLOCK) {
        out->body.end = n->end;
        return token_is(r, token, "{") && n->end > n->start + 1 &&
               r->tree->source[n->end - 1] == '}';
    }
    if (!is_expression(n->kind))
        return false;
    for (; end < r->tokens->n && (depth > 0 || !token_is(r, end, ";")); end++)
        depth += nesting(r, end);
    if (end >= r->tokens->n || end == token || r->tokens->list[end - 1].end != n->end)
        return false;
    out->body.end = r->tokens->list[end].end;
    return true;
}

/* --- what stands in it --- */

/* Why a node must not be there several times; NULL: it may. */
static const char *objection(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i];
    const char *stop = source_stop_of(t, i);
    if (stop)
        return stop;
    switch (n->kind) {
    case SYNTAX_BREAK: /* of a switch */
    case SYNTAX_SWITCH:
        return "a switch";
    case SYNTAX_CONTINUE:
        return "continue";
    case SYNTAX_LABEL:
        return "a label";
    case SYNTAX_LAMBDA:
        return "a function or statement in an expression";
    case SYNTAX_ASSEMBLY:
        return "inline assembly";
    case SYNTAX_TYPE:
    case SYNTAX_FUNCTION:
    case SYNTAX_SHARED:
        return "a declaration that is no variable of the body";
    case SYNTAX_VARIABLE:
        return n->flags & (SYNTAX_STATIC | SYNTAX_EXTERN | SYNTAX_THREAD)
                   ? "a variable that keeps its value"
                   : NULL;
    case SYNTAX_CALL:
        return t->gpu && (n->flags & SYNTAX_UNKNOWN) ? "a call of nobody knows what" : NULL;
    case SYNTAX_REFERENCE: {
        const enum source_name what =
            n->names == SYNTAX_FUNCTION ? source_name_of(syntax_name(t, i)) : NAME_ARITHMETIC;
        if (what == NAME_LANES)
            return "work with the lanes of a wave";
        return t->gpu && what != NAME_ARITHMETIC ? "a call in which a barrier may be" : NULL;
    }
    default:
        return n->raw == RAW_CASE || n->raw == RAW_DEFAULT ? "case" : NULL;
    }
}

const char *loop_body_read(const struct loop_reading *r, size_t node, struct simple_loop *out)
{
    static const char differing[] = "__COUNTER__ __LINE__ _Pragma __pragma";
    const struct syntax_tree *t = r->tree;
    const size_t token = token_at(r, t->nodes[node].start);
    size_t after = 0, body = 0, i;
    *out = (struct simple_loop){.node = node};
    if (t->nodes[node].kind != SYNTAX_FOR)
        return "it is no for";
    for (size_t c = syntax_first(t, node); c; c = syntax_next(t, c))
        body = c;
    if (token >= r->tokens->n || r->tokens->list[token].start != t->nodes[node].start || !body ||
        !read_head(r, token, out, &after) || !read_body(r, body, after, out))
        return "its text is not that of a for with a block or an expression";
    out->all = (struct loop_span){t->nodes[node].start, out->body.end};
    const char *why = check_place(r, token);
    for (i = token; !why && i < r->tokens->n && r->tokens->list[i].start < out->all.end; i++) {
        char word[16] = "";
        const struct syntax_token *k = &r->tokens->list[i];
        if (k->end - k->start < sizeof word)
            memcpy(word, t->source + k->start, k->end - k->start);
        if (k->directive != 0 || (*word && k->kind == TOKEN_WORD && words_have(differing, word)))
            why = "a line of the preprocessor, or a word of it, stands in it";
    }
    for (i = node + 1; !why && i < node + t->nodes[node].size; i++)
        why = objection(t, i);
    return why;
}

/* --- its variables --- */

enum use { USE_READ, USE_WRITE, USE_OTHER };

static bool begins_or_ends_with(const struct syntax_tree *t, const struct syntax_node *n,
                                const char *sign)
{
    return n->end >= n->start + 3 && (memcmp(t->source + n->start, sign, 2) == 0 ||
                                      memcmp(t->source + n->end - 2, sign, 2) == 0);
}

/* An expression whose value nobody takes: in C++ it could be a reference to the variable. */
static bool is_statement(const struct syntax_tree *t, size_t i)
{
    const uint16_t kind = t->nodes[t->nodes[i].parent].kind;
    return kind == SYNTAX_BLOCK || kind == SYNTAX_FOR || kind == SYNTAX_LOOP || kind == SYNTAX_IF;
}

/* A read has a conversion to a value around it (C17 6.3.2.1). */
static enum use use_of(const struct syntax_tree *t, size_t reference)
{
    size_t from = reference, at = t->nodes[reference].parent;
    while (at && t->nodes[at].kind == SYNTAX_PARENTHESES) {
        from = at;
        at = t->nodes[at].parent;
    }
    const struct syntax_node *n = &t->nodes[at];
    if (n->kind == SYNTAX_IMPLICIT)
        return n->bytes > 0 && strncmp(syntax_type(t, at), "const ", 6) != 0 ? USE_READ : USE_OTHER;
    const bool changes =
        n->kind == SYNTAX_UNARY
            ? begins_or_ends_with(t, n, "++") || begins_or_ends_with(t, n, "--")
            : (n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_BINARY) && syntax_first(t, at) == from;
    return changes && is_statement(t, at) ? USE_WRITE : USE_OTHER;
}

/* Whether it is a whole number that changes only where this function names it, and not in the
 * nodes [from, end). */
static bool stays(const struct loop_reading *r, size_t variable, size_t from, size_t end)
{
    const struct syntax_tree *t = r->tree;
    const size_t f = r->function, last = f + t->nodes[f].size;
    const struct syntax_node *v = &t->nodes[variable];
    if (variable <= f || variable >= last ||
        (v->kind != SYNTAX_VARIABLE && v->kind != SYNTAX_PARAMETER) || v->bytes == 0 ||
        v->bytes > 8 || words_have("_Bool bool", syntax_type(t, variable)) ||
        (v->flags & (SYNTAX_STATIC | SYNTAX_EXTERN | SYNTAX_THREAD | SYNTAX_VOLATILE |
                     SYNTAX_GLOBAL | SYNTAX_ELSEWHERE)))
        return false;
    for (size_t c = syntax_first(t, variable); c; c = syntax_next(t, c))
        if (t->nodes[c].kind == SYNTAX_SHARED)
            return false;
    for (size_t i = f; i < last; i++) {
        if (t->nodes[i].kind == SYNTAX_LAMBDA)
            return false;
        if (t->nodes[i].kind != SYNTAX_REFERENCE || t->nodes[i].target != variable)
            continue;
        const enum use use = use_of(t, i);
        if (use == USE_OTHER || (use == USE_WRITE && i >= from && i < end))
            return false;
    }
    return true;
}

/* The expression within what the compiler adds, and parentheses. */
static size_t peel(const struct syntax_tree *t, size_t i)
{
    while ((t->nodes[i].kind == SYNTAX_IMPLICIT || t->nodes[i].kind == SYNTAX_PARENTHESES) &&
           syntax_first(t, i))
        i = syntax_first(t, i);
    return i;
}

/* --- step and test --- */

/* i++, ++i, i += c, and down. Returns the node of the counter, or 0. */
static size_t read_step(const struct loop_reading *r, size_t step, struct simple_loop *out)
{
    const struct syntax_tree *t = r->tree;
    const struct syntax_node *n = &t->nodes[step];
    const size_t first = token_at(r, out->step.start), end = token_at(r, out->step.end),
                 operand = syntax_first(t, step);
    const bool before = first < r->tokens->n && r->tokens->list[first].kind == TOKEN_SIGN;
    const size_t sign = first + !before, word = before ? first + 2 : first;
    if (!operand || t->nodes[operand].kind != SYNTAX_REFERENCE || n->start != out->step.start ||
        !(token_is(r, sign, "+") || token_is(r, sign, "-")) ||
        !token_is(r, word, syntax_name(t, operand)))
        return 0;
    out->counter = (struct loop_span){r->tokens->list[word].start, r->tokens->list[word].end};
    out->down = token_is(r, sign, "-");
    if (n->kind == SYNTAX_UNARY && end == first + 3 &&
        token_is(r, sign + 1, out->down ? "-" : "+")) {
        out->by = 1;
        return t->nodes[operand].target;
    }
    const size_t second = syntax_next(t, operand), number = second ? peel(t, second) : 0;
    if (n->kind != SYNTAX_ASSIGN || before || end != first + 4 || !token_is(r, sign + 1, "=") ||
        !number || t->nodes[number].kind != SYNTAX_INTEGER || t->nodes[number].value < 1 ||
        t->nodes[number].value > LOOP_STEP_MOST)
        return 0;
    out->by = (uint32_t)t->nodes[number].value;
    return t->nodes[operand].target;
}

/* Whether a side of the comparison has the same value in the type in which it is compared. */
static bool keeps_value(const struct syntax_tree *t, size_t side)
{
    const struct syntax_node *as = &t->nodes[side], *is = &t->nodes[peel(t, side)];
    if (as->bytes == 0 || as->bytes > 8 || is->bytes == 0 || is->bytes > as->bytes)
        return false;
    if (is->is_unsigned)
        return as->is_unsigned || as->bytes > is->bytes;
    return !as->is_unsigned || (is->kind == SYNTAX_INTEGER && is->value >= 0);
}

/* Made of numbers and of variables that stay. */
static bool bound_stays(const struct loop_reading *r, size_t bound, size_t loop, size_t counter)
{
    const struct syntax_tree *t = r->tree;
    for (size_t i = bound; i < bound + t->nodes[bound].size; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->bytes == 0)
            return false;
        switch (n->kind) {
        case SYNTAX_IMPLICIT:
        case SYNTAX_PARENTHESES:
        case SYNTAX_INTEGER:
        case SYNTAX_BINARY:
            break;
        case SYNTAX_REFERENCE:
            if (n->target == counter || use_of(t, i) != USE_READ ||
                !stays(r, n->target, loop, loop + t->nodes[loop].size))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

static const char *read_test(const struct loop_reading *r, size_t test, size_t counter,
                             struct simple_loop *out)
{
    static const char no_test[] = "its condition is not its counter against a bound";
    const struct syntax_tree *t = r->tree;
    const size_t first = token_at(r, out->test.start), left = syntax_first(t, test),
                 right = left ? syntax_next(t, left) : 0;
    const struct syntax_token *list = r->tokens->list;
    if (t->nodes[test].kind != SYNTAX_BINARY || !right || peel(t, left) == left ||
        t->nodes[peel(t, left)].target != counter || t->nodes[test].start != out->test.start ||
        !token_is(r, first, syntax_name(t, peel(t, left))) ||
        !token_is(r, first + 1, out->down ? ">" : "<"))
        return no_test;
    out->inclusive = token_is(r, first + 2, "=");
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
    if (!stays(r, counter, body, body + t->nodes[body].size))
        return "its counter may change elsewhere";
    return read_test(r, test, counter, out);
}
