/* The text of a loop: where it stands, where its parts begin and end, what is in it. */
#include <string.h>

#include "base/search.h"
#include "base/words.h"
#include "engine/rewrites/rewrites_impl.h"

enum { RAW_CASE = 203, RAW_DEFAULT = 204 }; /* CXCursor_CaseStmt, CXCursor_DefaultStmt */

bool loop_token_is(const struct loop_reading *r, size_t i, const char *word)
{
    return i < r->tokens->n && syntax_token_is(r->tree->source, &r->tokens->list[i], word);
}

/* The first token that begins at or after a byte. */
size_t loop_token_at(const struct loop_reading *r, uint32_t start)
{
    size_t low = 0;
    SEARCH_FIRST(low, r->tokens->n, r->tokens->list[low].start < start);
    return low;
}

/* +1 of an opening bracket, -1 of a closing one, else 0. */
static int nesting_step_of(const struct loop_reading *r, size_t i)
{
    const struct syntax_token *t = &r->tokens->list[i];
    if (t->kind != TOKEN_SIGN)
        return 0;
    const char c = r->tree->source[t->start];
    return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
}

/* --- where it stands --- */

/* Whether the line of the token is a pragma that may apply to the loop. */
static bool ends_a_pragma(const struct loop_reading *r, size_t token)
{
    while (token > 0 && r->tokens->list[token].directive == 1)
        token--;
    return r->tokens->list[token].directive == 2 && loop_token_is(r, token + 1, "pragma") &&
           !loop_token_is(r, token + 2, "scop") && !loop_token_is(r, token + 2, "endscop");
}

/* In no condition of the preprocessor, in no argument of a macro, under no pragma or attribute. */
static const char *check_place(const struct loop_reading *r, size_t token)
{
    int conditions = 0, parentheses = 0;
    const uint32_t begin = r->tree->nodes[r->function].start;
    for (size_t i = 0; i < token; i++) {
        const struct syntax_token *t = &r->tokens->list[i];
        if (t->directive == 2) {
            conditions += loop_token_is(r, i + 1, "if") || loop_token_is(r, i + 1, "ifdef") ||
                          loop_token_is(r, i + 1, "ifndef");
            conditions -= loop_token_is(r, i + 1, "endif");
        }
        if (t->start >= begin && t->directive == 0)
            parentheses += loop_token_is(r, i, "(") - loop_token_is(r, i, ")");
    }
    if (conditions > 0)
        return "it stands under a condition of the preprocessor";
    if (parentheses != 0)
        return "it stands in the argument of a macro";
    if (token > 0 && (ends_a_pragma(r, token - 1) || loop_token_is(r, token - 1, "]")))
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

/* for ( INIT ; TEST ; STEP ): *after is the token after it. */
static bool read_for_head(const struct loop_reading *r, size_t token, struct simple_loop *out,
                          size_t *after)
{
    size_t semicolons[2], found = 0, i = token + 2;
    int depth = 1;
    if (!loop_token_is(r, token, "for") || !loop_token_is(r, token + 1, "("))
        return false;
    for (; i < r->tokens->n; i++) {
        depth += nesting_step_of(r, i);
        if (depth == 0)
            break;
        if (depth == 1 && loop_token_is(r, i, ";")) {
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

/* Whether a statement of this kind begins with this token. */
static bool begins_as(const struct loop_reading *r, uint16_t kind, size_t token)
{
    switch (kind) {
    case SYNTAX_BLOCK:
        return loop_token_is(r, token, "{");
    case SYNTAX_FOR:
        return loop_token_is(r, token, "for");
    case SYNTAX_IF:
        return loop_token_is(r, token, "if");
    case SYNTAX_BINARY:
    case SYNTAX_ASSIGN:
    case SYNTAX_UNARY:
    case SYNTAX_CALL:
    case SYNTAX_IMPLICIT:
        return !loop_token_is(r, token, "for") && !loop_token_is(r, token, "if");
    default:
        return false;
    }
}

/* The first token after the bracket that closes the one at i. */
static size_t behind_bracket(const struct loop_reading *r, size_t i)
{
    int depth = 0;
    for (; i < r->tokens->n; i++) {
        depth += nesting_step_of(r, i);
        if (depth == 0)
            return i + 1;
    }
    return i;
}

/* The first token after a block, or after a semicolon that ends an expression. */
static size_t behind_simple(const struct loop_reading *r, size_t i)
{
    if (loop_token_is(r, i, "{"))
        return behind_bracket(r, i);
    while (i < r->tokens->n && !loop_token_is(r, i, ";"))
        i = nesting_step_of(r, i) > 0 ? behind_bracket(r, i) : i + 1;
    return i + 1;
}

/* The same for a statement: for, if and while have one after their parentheses, else has one. */
static size_t behind_statement(const struct loop_reading *r, size_t i)
{
    for (size_t ifs = 0; i < r->tokens->n;) {
        if (loop_token_is(r, i, "for") || loop_token_is(r, i, "while") ||
            loop_token_is(r, i, "if")) {
            ifs += loop_token_is(r, i, "if");
            i = loop_token_is(r, i + 1, "(") ? behind_bracket(r, i + 1) : r->tokens->n;
            continue;
        }
        i = behind_simple(r, i);
        if (!loop_token_is(r, i, "else") || ifs == 0)
            return i;
        ifs--;
        i++;
    }
    return i;
}

/* The body: text and tree must agree where it begins and ends. */
static bool read_body(const struct loop_reading *r, size_t body, size_t token,
                      struct simple_loop *out)
{
    const struct syntax_node *n = &r->tree->nodes[body];
    const struct syntax_token *list = r->tokens->list;
    if (list[token].start != n->start || !begins_as(r, n->kind, token))
        return false;
    const size_t end = behind_statement(r, token);
    if (end > r->tokens->n || end < token + 2)
        return false;
    out->body = (struct loop_span){n->start, list[end - 1].end};
    return list[end - 1].end == n->end ||
           (loop_token_is(r, end - 1, ";") && list[end - 2].end == n->end);
}

/* --- what stands in it --- */

/* Why a node must not be there several times; NULL: it may. */
static const char *objection_to_copies(const struct loop_reading *r, size_t i)
{
    const struct syntax_tree *t = r->tree;
    const struct syntax_node *n = &t->nodes[i];
    if (r->stops->of[i] != SOURCE_STOPS)
        return source_stop_name((enum source_stop)r->stops->of[i]);
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
        return t->gpu && (n->flags & SYNTAX_UNKNOWN) ? "a call of an unknown function" : NULL;
    case SYNTAX_REFERENCE: {
        const uint8_t what = n->names == SYNTAX_FUNCTION ? r->names[i] : NAME_ARITHMETIC;
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
    const size_t token = loop_token_at(r, t->nodes[node].start);
    size_t after = 0, body = 0, i;
    *out = (struct simple_loop){.node = node};
    if (t->nodes[node].kind != SYNTAX_FOR)
        return "it is no for";
    for (size_t c = syntax_first(t, node); c; c = syntax_next(t, c))
        body = c;
    if (token >= r->tokens->n || r->tokens->list[token].start != t->nodes[node].start || !body ||
        !read_for_head(r, token, out, &after) || !read_body(r, body, after, out))
        return "its text is not that of a for whose body is seen";
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
        why = objection_to_copies(r, i);
    return why;
}
