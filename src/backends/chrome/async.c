/* Asynchronous spans: below what was running in their thread when they began, or below each other.
 */
#include <stdlib.h>

#include "backends/chrome/build.h"
#include "base/arena.h"

static bool number_after(const struct chrome_store *s, uint32_t a, uint32_t b)
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
    chrome_sort(by.spans, by.n, spare, number_after, s);
    free(spare);
    return by;
}

static uint32_t span_of(const struct chrome_store *s, const struct chrome_numbers *by,
                        uint64_t number)
{
    uint32_t low = 0, high = by->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->spans.at[by->spans[mid]].id < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low < by->n && s->spans.at[by->spans[low]].id == number ? by->spans[low] : CHROME_NONE;
}

uint32_t chrome_numbered(const struct chrome_store *s, const struct chrome_numbers *by,
                         uint64_t number)
{
    uint32_t span = span_of(s, by, number);
    return span == CHROME_NONE ? GRAPH_NONE : s->spans.at[span].name;
}

static bool begin_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[s->async.at[a].span];
    const struct chrome_span *y = &s->spans.at[s->async.at[b].span];
    if (s->rooftop && x->id != y->id)
        return x->id > y->id; /* its parents have smaller numbers */
    return x->start != y->start ? x->start > y->start : x->duration < y->duration;
}

static uint64_t end_of(const struct chrome_span *span)
{
    return (uint64_t)span->start + span->duration;
}

static void add_one(struct chrome_store *s, const struct chrome_mark *m, const uint8_t *placed,
                    const struct chrome_numbers *by, int64_t add)
{
    const struct chrome_span *span = &s->spans.at[m->span];
    uint32_t outer = m->name, parent = GRAPH_NONE;
    enum edge_kind via = EDGE_LAUNCHES;
    if (m->outer != UINT64_MAX) {
        outer = span_of(s, by, m->outer / 2);
        if (outer != CHROME_NONE && (placed[outer] || !(s->spans.at[outer].bits & SPAN_ASYNC))) {
            parent = s->spans.at[outer].name;
            via = m->outer & 1 ? EDGE_LAUNCHES : EDGE_CONTAINS;
        }
    } else if (outer != CHROME_NONE && placed[outer] &&
               end_of(&s->spans.at[outer]) >= end_of(span)) {
        parent = s->spans.at[outer].name;
        via = EDGE_CONTAINS;
    }
    if (parent == GRAPH_NONE) {
        parent = chrome_bind(s, span->lane, span->start, false, add);
        via = EDGE_LAUNCHES;
    }
    if (parent == GRAPH_NONE)
        parent = s->lanes.at[span->lane].node;
    chrome_add_node(s, m->span, parent, via, add);
}

void chrome_build_async(struct chrome_store *s, int64_t add)
{
    if (s->async.n == 0)
        return;
    uint32_t *spare, *order = chrome_order(s->async.n, &spare), n = 0;
    uint8_t *placed = xcalloc(s->spans.n + (size_t)1, 1); /* spans that have their node */
    struct chrome_numbers by = chrome_numbers(s);
    for (uint32_t i = 0; i < s->async.n; i++) {
        uint32_t span = s->async.at[i].span;
        if (span != CHROME_NONE && s->spans.at[span].duration != CHROME_OPEN)
            order[n++] = i;
    }
    chrome_sort(order, n, spare, begin_after, s);
    for (uint32_t i = 0; i < n; i++) {
        const struct chrome_mark *m = &s->async.at[order[i]];
        uint32_t before = s->trace->calls->nnodes;
        add_one(s, m, placed, &by, add);
        placed[m->span] = s->trace->calls->nnodes > before;
    }
    free(by.spans);
    free(placed);
    free(order);
    free(spare);
}
