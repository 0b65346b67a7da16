/*
 * Reads rooftop's own export: every span has a number and names its parent, so nothing is guessed
 * from times.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/search.h"

bool chrome_is_numbered(const struct chrome_store *s)
{
    if (!s->rooftop || s->parents.n != s->spans.n)
        return false;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (!(s->spans.at[i].bits & SPAN_NODE))
            return false;
    return true;
}

static bool is_number_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    return s->spans.at[a].id > s->spans.at[b].id;
}

struct chrome_numbers chrome_numbers(const struct chrome_store *s)
{
    struct chrome_numbers by = {0};
    if (!s->rooftop)
        return by;
    uint32_t *spare;
    by.spans = chrome_order(s->spans.n, &spare);
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (s->spans.at[i].bits & SPAN_NODE && s->spans.at[i].duration != CHROME_OPEN)
            by.spans[by.n++] = i;
    chrome_sort(by.spans, by.n, spare, is_number_after, s);
    free(spare);
    return by;
}

/* Finds the index of a span by its number; by->n: not found. */
static uint32_t find_numbered_span(const struct chrome_store *s, const struct chrome_numbers *by,
                                   uint64_t number)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, by->n, s->spans.at[by->spans[low]].id < number);
    return low < by->n && s->spans.at[by->spans[low]].id == number ? low : by->n;
}

uint32_t chrome_numbered(const struct chrome_store *s, const struct chrome_numbers *by,
                         uint64_t number)
{
    uint32_t at = find_numbered_span(s, by, number);
    return at == by->n ? GRAPH_NONE : s->spans.at[by->spans[at]].name;
}

/* Adds an edge from the previous child; last[] is the child of each node that ended last so far. */
static void connect_children(struct graph *g, uint32_t *last, uint32_t parent, uint32_t node)
{
    uint32_t before = last[parent];
    uint64_t end = g->start[node] + g->duration[node];
    uint64_t ended = before == GRAPH_NONE ? 0 : g->start[before] + g->duration[before];
    if (before != GRAPH_NONE && ended <= g->start[node])
        graph_connect(g, before, node, EDGE_SEQUENCE);
    if (before == GRAPH_NONE || end >= ended)
        last[parent] = node;
}

/* Adds spans in order of their numbers: parents have smaller ones. */
void chrome_build_numbered(struct chrome_store *s, int64_t add)
{
    struct graph *g = s->trace->calls;
    struct chrome_numbers by = chrome_numbers(s);
    free(chrome_add_programs(s));
    size_t most = g->nnodes + (size_t)by.n + 1;
    uint32_t *last = xcalloc(most, sizeof *last);
    memset(last, 0xff, most * sizeof *last);
    trace_leave_out(s->trace, LEFT_NO_END, s->spans.n - by.n);
    for (uint32_t i = 0; i < by.n; i++) {
        const struct chrome_span *span = &s->spans.at[by.spans[i]];
        uint64_t outer = s->parents.at[by.spans[i]];
        uint32_t at = outer == UINT64_MAX ? by.n : find_numbered_span(s, &by, outer / 2);
        uint32_t parent = at < i ? s->spans.at[by.spans[at]].name : s->lanes.at[span->lane].node;
        enum edge_kind via = at < i && !(outer & 1) ? EDGE_CONTAINS : EDGE_LAUNCHES;
        uint32_t node = chrome_add_node(s, by.spans[i], parent, via, add);
        if (node != GRAPH_NONE && !graph_is_context(g, node))
            connect_children(g, last, parent, node);
    }
    free(last);
    free(by.spans);
}
