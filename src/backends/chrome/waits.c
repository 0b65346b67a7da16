/*
 * Adds dependencies for streams that waited for events of other streams: their next work depends on
 * the work before the event. Correlations number the calls of a program, so the work of a stream is
 * in their order.
 */
#include <stdlib.h>

#include "backends/chrome/build.h"
#include "base/search.h"

struct queued { /* work of devices that has a correlation, sorted by lane, then correlation */
    uint32_t *spans, n;
};

static bool work_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[a], *y = &s->spans.at[b];
    return x->lane != y->lane ? x->lane > y->lane : x->id > y->id;
}

static struct queued correlated_work(const struct chrome_store *s)
{
    const unsigned both = SPAN_WORK | SPAN_CORRELATED;
    struct queued q = {0};
    uint32_t *spare;
    q.spans = chrome_order(s->spans.n, &spare);
    for (uint32_t i = 0; i < s->spans.n; i++)
        if ((s->spans.at[i].bits & both) == both && s->spans.at[i].duration != CHROME_OPEN &&
            s->lanes.at[s->spans.at[i].lane].queue)
            q.spans[q.n++] = i;
    chrome_sort(q.spans, q.n, spare, work_after, s);
    free(spare);
    return q;
}

/* The index of the first entry that is not before (lane, id); n: there is none. */
static bool is_before(const struct chrome_span *span, uint32_t lane, uint64_t id)
{
    return span->lane < lane || (span->lane == lane && span->id < id);
}

static uint32_t first_from(const struct chrome_store *s, const struct queued *q, uint32_t lane,
                           uint64_t id)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, q->n, is_before(&s->spans.at[q->spans[low]], lane, id));
    return low;
}

static void add_dependency(struct chrome_store *s, const struct queued *q,
                           const struct chrome_wait *w)
{
    const struct graph *g = s->trace->calls;
    uint32_t before = first_from(s, q, w->from, w->record);
    uint32_t after = first_from(s, q, w->lane, w->correlation);
    if (before == 0 || after == q->n)
        return;
    const struct chrome_span *x = &s->spans.at[q->spans[before - 1]];
    const struct chrome_span *y = &s->spans.at[q->spans[after]];
    if (x->lane != w->from || y->lane != w->lane || x->name == GRAPH_NONE || y->name == GRAPH_NONE)
        return;
    if (g->start[x->name] + g->duration[x->name] <=
        g->start[y->name]) /* otherwise it was not such a wait */
        graph_connect(s->trace->calls, x->name, y->name, EDGE_DEPENDS);
}

void chrome_add_waits(struct chrome_store *s)
{
    if (s->waits.n == 0)
        return;
    struct queued q = correlated_work(s);
    for (uint32_t i = 0; i < s->waits.n; i++)
        add_dependency(s, &q, &s->waits.at[i]);
    free(q.spans);
}
