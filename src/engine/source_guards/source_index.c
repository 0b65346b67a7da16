/* Sorted tables for the rules: a text of 1 MiB may have half a million tokens, lines or names,
 * and each is searched for in the other text. So each is found by a binary search. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/order.h"
#include "base/search.h"
#include "engine/source_guards/source_impl.h"

/* By length, then by bytes; the order has no other meaning. */
static int compare_bytes(const char *a, size_t n, const char *b, size_t m)
{
    if (n != m)
        return n < m ? -1 : 1;
    return memcmp(a, b, n);
}

static const char *bytes_of_token(const struct source_side *s, size_t token, size_t *n)
{
    const struct syntax_token *t = &s->tokens.list[token];
    *n = t->end - t->start;
    return s->tree->source + t->start;
}

static int compare_tokens(const struct source_side *s, size_t i, const struct source_side *of,
                          size_t k)
{
    size_t n, m;
    const char *a = bytes_of_token(s, i, &n), *b = bytes_of_token(of, k, &m);
    return compare_bytes(a, n, b, m);
}

size_t source_first_token(const struct source_side *s, uint32_t start)
{
    size_t low = 0;
    SEARCH_FIRST(low, s->tokens.n, s->tokens.list[low].start < start);
    return low;
}

/* --- words --- */

static int by_word(const void *a, const void *b, void *side)
{
    return compare_tokens(side, *(const uint32_t *)a, side, *(const uint32_t *)b);
}

static void sort_words(struct source_side *s)
{
    s->words = xcalloc(s->tokens.n + 1, sizeof *s->words);
    for (size_t i = 0; i < s->tokens.n; i++)
        s->words[i] = (uint32_t)i;
    qsort_r(s->words, s->tokens.n, sizeof *s->words, by_word, s);
}

/* The number of tokens before this one in the order; or_same: including equal ones. */
static size_t words_before(const struct source_side *s, const char *word, size_t n, bool or_same)
{
    size_t low = 0, high = s->tokens.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        size_t m;
        const char *at = bytes_of_token(s, s->words[middle], &m);
        const int order = compare_bytes(at, m, word, n);
        if (order < 0 || (or_same && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t source_count_word(const struct source_side *s, const char *word, size_t n)
{
    return words_before(s, word, n, true) - words_before(s, word, n, false);
}

/* --- lines of the preprocessor --- */

size_t source_line_end(const struct source_side *s, size_t i)
{
    size_t end = i + 1;
    while (end < s->tokens.n && s->tokens.list[end].directive == 1)
        end++;
    return end;
}

static int compare_lines(const struct source_side *s, const struct source_line *a,
                         const struct source_side *of, const struct source_line *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    int order = 0;
    for (size_t i = 0; i < a->n && order == 0; i++)
        order = compare_tokens(s, a->first + i, of, b->first + i);
    return order;
}

static int by_line(const void *a, const void *b, void *side)
{
    return compare_lines(side, a, side, b);
}

static struct source_line line_at(const struct source_side *s, size_t i)
{
    return (struct source_line){(uint32_t)i, (uint32_t)(source_line_end(s, i) - i)};
}

static void sort_lines(struct source_side *s)
{
    size_t cap = 0;
    for (size_t i = 0; i < s->tokens.n; i++)
        if (s->tokens.list[i].directive == 2)
            LIST_ADD(s->lines, s->nlines, cap, line_at(s, i));
    if (s->nlines)
        qsort_r(s->lines, s->nlines, sizeof *s->lines, by_line, s);
}

bool source_has_line(const struct source_side *s, const struct source_side *of, size_t line)
{
    const struct source_line wanted = line_at(of, line);
    size_t at = 0;
    SEARCH_FIRST(at, s->nlines, compare_lines(s, &s->lines[at], of, &wanted) < 0);
    return at < s->nlines && compare_lines(s, &s->lines[at], of, &wanted) == 0;
}

/* --- names --- */

void source_set_add(struct source_set *set, const char *name)
{
    LIST_ADD(set->list, set->n, set->cap, name);
}

void source_set_sort(struct source_set *set)
{
    if (set->n)
        qsort(set->list, set->n, sizeof *set->list, order_texts);
}

bool source_set_has(const struct source_set *set, const char *name)
{
    return set->n && bsearch(&name, set->list, set->n, sizeof *set->list, order_texts) != NULL;
}

void source_set_free(struct source_set *set)
{
    free(set->list);
    *set = (struct source_set){.list = NULL};
}

static int by_node_name(const void *a, const void *b, void *tree)
{
    return strcmp(syntax_name(tree, *(const uint32_t *)a), syntax_name(tree, *(const uint32_t *)b));
}

/* The table of names is asked once for each name, not for each use. */
uint8_t *source_names_find(const struct syntax_tree *t)
{
    uint8_t *names = xcalloc(t->count + 1, 1);
    uint32_t *nodes = xcalloc(t->count + 1, sizeof *nodes);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->nodes[i].kind == SYNTAX_REFERENCE || t->nodes[i].kind == SYNTAX_CALL)
            nodes[n++] = (uint32_t)i;
    qsort_r(nodes, n, sizeof *nodes, by_node_name, (void *)t);
    for (size_t i = 0; i < n; i++)
        names[nodes[i]] = i > 0 && by_node_name(&nodes[i], &nodes[i - 1], (void *)t) == 0
                              ? names[nodes[i - 1]]
                              : (uint8_t)source_name_of(syntax_name(t, nodes[i]));
    free(nodes);
    return names;
}

/* --- nodes --- */

uint32_t *source_count_nodes(const struct syntax_tree *t, source_is_node *is, const void *ctx)
{
    uint32_t *before = xcalloc(t->count + 1, sizeof *before);
    for (size_t i = 0; i < t->count; i++)
        before[i + 1] = before[i] + is(ctx, t, i);
    return before;
}

bool source_has_node(const struct syntax_tree *t, const uint32_t *before, size_t node)
{
    return before[node + t->nodes[node].size] > before[node];
}

void source_side_open(struct source_side *s, const struct syntax_tree *t)
{
    *s = (struct source_side){.tree = t};
    syntax_split(&s->tokens, t->source, t->n);
    sort_words(s);
    sort_lines(s);
    s->names = source_names_find(t);
    source_stops_find(&s->stops, t, s->names);
}

void source_side_close(struct source_side *s)
{
    syntax_tokens_free(&s->tokens);
    free(s->words);
    free(s->lines);
    free(s->names);
    source_stops_free(&s->stops);
}
