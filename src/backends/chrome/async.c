/*
 * Asynchronous spans: placed below the span that ran in their thread when they began, or below each
 * other.
 */
#include <stdlib.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"

static bool is_async_begin_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[s->async.at[a].span];
    const struct chrome_span *y = &s->spans.at[s->async.at[b].span];
    return x->start != y->start ? x->start > y->start : x->duration < y->duration;
}

static uint64_t chrome_span_end(const struct chrome_span *span)
{
    return (uint64_t)span->start + span->duration;
}

static void add_one(struct chrome_store *s, const struct chrome_mark *m, const uint8_t *placed,
                    int64_t add)
{
    const struct chrome_span *span = &s->spans.at[m->span];
    uint32_t outer = m->name, parent = GRAPH_NONE;
    if (outer != CHROME_NONE && placed[outer] &&
        chrome_span_end(&s->spans.at[outer]) >= chrome_span_end(span)) {
        chrome_add_node(s, m->span, s->spans.at[outer].name, EDGE_CONTAINS, add);
        return;
    }
    parent = chrome_bind(s, span->lane, span->start, false, add);
    if (parent == GRAPH_NONE)
        parent = s->lanes.at[span->lane].node;
    chrome_add_node(s, m->span, parent, EDGE_LAUNCHES, add);
}

void chrome_build_async(struct chrome_store *s, int64_t add)
{
    if (s->async.n == 0)
        return;
    uint32_t *spare, *order = chrome_order(s->async.n, &spare), n = 0;
    uint8_t *placed = xcalloc(s->spans.n + (size_t)1, 1); /* whether each span already has a node */
    for (uint32_t i = 0; i < s->async.n; i++) {
        uint32_t span = s->async.at[i].span;
        if (span != CHROME_NONE && s->spans.at[span].duration != CHROME_OPEN)
            order[n++] = i;
    }
    chrome_sort(order, n, spare, is_async_begin_after, s);
    for (uint32_t i = 0; i < n; i++) {
        const struct chrome_mark *m = &s->async.at[order[i]];
        uint32_t before = s->trace->calls->nnodes;
        add_one(s, m, placed, add);
        placed[m->span] = s->trace->calls->nnodes > before;
    }
    free(placed);
    free(order);
    free(spare);
}
