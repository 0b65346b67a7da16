#include "engine/source_guards/syntax.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

const char *syntax_name(const struct syntax_tree *t, size_t node)
{
    return t->texts + t->nodes[node].name;
}

const char *syntax_type(const struct syntax_tree *t, size_t node)
{
    return t->texts + t->nodes[node].type;
}

size_t syntax_first(const struct syntax_tree *t, size_t node)
{
    return t->nodes[node].size > 1 ? node + 1 : 0;
}

size_t syntax_next(const struct syntax_tree *t, size_t node)
{
    const struct syntax_node *parent = &t->nodes[t->nodes[node].parent];
    const size_t next = node + t->nodes[node].size,
                 end = (size_t)(parent - t->nodes) + parent->size;
    return node != 0 && next < end ? next : 0;
}

bool syntax_is_loop(const struct syntax_tree *t, size_t node)
{
    return t->nodes[node].kind == SYNTAX_FOR || t->nodes[node].kind == SYNTAX_LOOP;
}

size_t syntax_declaration(const struct syntax_tree *t, size_t node)
{
    const bool enter = t->nodes[node].kind == SYNTAX_SCOPE || node == 0;
    const size_t next = node + (enter ? 1 : t->nodes[node].size);
    return next < t->count ? next : 0;
}

size_t syntax_function(const struct syntax_tree *t, const char *name, bool *several)
{
    size_t found = 0;
    *several = false;
    for (size_t i = syntax_declaration(t, 0); i; i = syntax_declaration(t, i)) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->kind != SYNTAX_FUNCTION || !(n->flags & SYNTAX_DEFINITION) ||
            strcmp(syntax_name(t, i), name) != 0)
            continue;
        *several |= found != 0;
        found = i;
    }
    return *several ? 0 : found;
}

bool syntax_valid(const struct syntax_tree *t)
{
    if (t->count == 0 || t->ntexts == 0 || t->texts[0] != '\0' || t->texts[t->ntexts - 1] != '\0' ||
        t->nodes[0].size != t->count || t->nodes[0].parent != 0)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        const struct syntax_node *n = &t->nodes[i];
        if (n->name >= t->ntexts || n->type >= t->ntexts || n->start > n->end || n->end > t->n ||
            n->target >= t->count || n->size < 1 || n->size > t->count - i ||
            (i > 0 && n->parent >= i))
            return false;
        const struct syntax_node *parent = &t->nodes[n->parent];
        if (i + n->size > n->parent + (size_t)parent->size)
            return false;
    }
    return true;
}

void syntax_free(struct syntax_tree *t)
{
    free(t->nodes);
    free(t->texts);
    *t = (struct syntax_tree){.source = NULL};
}

/* --- the text --- */

struct splitting {
    const char *text;
    size_t n, at; /* never at a line's end that joins two lines */
    size_t end;   /* behind the byte that was passed last */
    uint32_t line;
};

/* A backslash that joins two lines (C17, 5.1.1.2, phase 2), with the line's end; compilers take
 * blanks between them. 0: there is none. */
static size_t measure_splice(const struct splitting *s, size_t at)
{
    size_t end = at + 1;
    if (at >= s->n || s->text[at] != '\\')
        return 0;
    while (end < s->n && s->text[end] && strchr(" \t\r\f\v", s->text[end]))
        end++;
    return end < s->n && s->text[end] == '\n' ? end + 1 - at : 0;
}

/* The position `at`, or the first one after joined lines. */
static size_t beyond_joins(const struct splitting *s, size_t at)
{
    for (size_t n; (n = measure_splice(s, at)) > 0;)
        at += n;
    return at;
}

static char look_ahead(const struct splitting *s, size_t ahead)
{
    size_t at = s->at;
    for (; ahead > 0 && at < s->n; ahead--)
        at = beyond_joins(s, at + 1);
    return at < s->n ? s->text[at] : '\0';
}

static void go_to(struct splitting *s, size_t to)
{
    for (; s->at < to && s->at < s->n; s->at++)
        s->line += s->text[s->at] == '\n';
}

static void step_over_char(struct splitting *s)
{
    if (s->at >= s->n)
        return; /* the last token ends with the text */
    s->end = s->at + 1;
    go_to(s, beyond_joins(s, s->at + 1));
}

/* Blanks and comments. Returns whether a line ended. */
static bool skip_source_blanks(struct splitting *s)
{
    bool ended = false;
    while (s->at < s->n) {
        const char c = look_ahead(s, 0), next = look_ahead(s, 1);
        if (c == '/' && next == '*') {
            step_over_char(s);
            for (step_over_char(s);
                 s->at < s->n && !(look_ahead(s, 0) == '*' && look_ahead(s, 1) == '/');)
                step_over_char(s);
            step_over_char(s);
            step_over_char(s);
        } else if (c == '/' && next == '/') {
            while (s->at < s->n && look_ahead(s, 0) != '\n')
                step_over_char(s);
        } else if (isspace((unsigned char)c)) {
            ended |= c == '\n';
            step_over_char(s);
        } else
            break;
    }
    return ended;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void skip_string(struct splitting *s)
{
    const char quote = look_ahead(s, 0);
    for (step_over_char(s); s->at < s->n && look_ahead(s, 0) != quote && look_ahead(s, 0) != '\n';)
        if (look_ahead(s, 0) == '\\') {
            step_over_char(s);
            step_over_char(s);
        } else
            step_over_char(s);
    if (look_ahead(s, 0) == quote)
        step_over_char(s);
}

static bool is_number_char(char c, char before)
{
    return is_word_char(c) || c == '.' ||
           ((c == '+' || c == '-') && before && strchr("eEpP", before));
}

static enum syntax_token_kind take_token(struct splitting *s)
{
    const char c = look_ahead(s, 0);
    if (c == '"' || c == '\'') {
        skip_string(s);
        return TOKEN_STRING;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)look_ahead(s, 1)))) {
        for (char before = '\0'; s->at < s->n && is_number_char(look_ahead(s, 0), before);
             step_over_char(s))
            before = look_ahead(s, 0);
        return TOKEN_NUMBER;
    }
    if (is_word_char(c)) {
        while (s->at < s->n && is_word_char(look_ahead(s, 0)))
            step_over_char(s);
        return TOKEN_WORD;
    }
    const bool two = c == '#' && look_ahead(s, 1) == '#';
    step_over_char(s);
    if (two)
        step_over_char(s);
    return TOKEN_SIGN;
}

void syntax_split(struct syntax_tokens *out, const char *text, size_t n)
{
    struct splitting s = {.text = text, .n = n, .line = 1};
    bool first = true, directive = false;
    *out = (struct syntax_tokens){.list = NULL};
    go_to(&s, beyond_joins(&s, 0));
    for (;;) {
        const size_t before = s.at;
        if (skip_source_blanks(&s)) {
            first = true;
            directive = false;
        }
        if (s.at >= s.n)
            return;
        const bool begins = first && text[s.at] == '#';
        directive |= begins;
        first = false;
        struct syntax_token t = {.start = (uint32_t)s.at,
                                 .line = s.line,
                                 .directive = (uint16_t)(directive + begins),
                                 .touches = s.at == before};
        t.kind = (uint16_t)take_token(&s);
        t.end = (uint32_t)s.end;
        LIST_ADD(out->list, out->n, out->cap, t);
    }
}

void syntax_tokens_free(struct syntax_tokens *t)
{
    free(t->list);
    *t = (struct syntax_tokens){.list = NULL};
}

bool syntax_token_is(const char *text, const struct syntax_token *t, const char *word)
{
    const size_t n = t->end - t->start;
    return strlen(word) == n && memcmp(text + t->start, word, n) == 0;
}
