/*
 * Adds dependencies for streams that waited for events of other streams: their next work depends on
 * the work before the event. Adds what calls waited for: the work before an event, or before the
 * call itself. Correlations number the calls of a program, so the work of a stream is in their
 * order.
 */
#include <stdlib.h>

#include "backends/chrome/chrome_impl.h"
#include "base/search.h"
#include "engine/graph/execution.h"

struct queued { /* spans, sorted by correlation; those of work first by lane */
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

/* Whether the span comes before (lane, id). */
static bool is_queued_before(const struct chrome_span *span, uint32_t lane, uint64_t id)
{
    return span->lane < lane || (span->lane == lane && span->id < id);
}

static uint32_t first_from(const struct chrome_store *s, const struct queued *q, uint32_t lane,
                           uint64_t id)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, q->n, is_queued_before(&s->spans.at[q->spans[low]], lane, id));
    return low;
}

/* The stream's last work that was launched before the event or the call; NULL: none. */
static const struct chrome_span *
find_awaited_work(const struct chrome_store *s, const struct queued *q, const struct chrome_wait *w)
{
    uint32_t before = first_from(s, q, w->from, w->record);
    const struct chrome_span *x = before ? &s->spans.at[q->spans[before - 1]] : NULL;
    return x && x->lane == w->from && x->name != GRAPH_NONE ? x : NULL;
}

static void add_dependency(struct chrome_store *s, const struct queued *q,
                           const struct chrome_wait *w)
{
    const struct graph *g = s->trace->calls;
    const struct chrome_span *x = find_awaited_work(s, q, w);
    uint32_t after = first_from(s, q, w->lane, w->correlation);
    if (!x || after == q->n)
        return;
    const struct chrome_span *y = &s->spans.at[q->spans[after]];
    if (y->lane != w->lane || y->name == GRAPH_NONE)
        return;
    if (g->start[x->name] + g->duration[x->name] <=
        g->start[y->name]) /* else it was no such wait */
        graph_connect(s->trace->calls, x->name, y->name, EDGE_DEPENDS);
}

/* --- calls that waited --- */

static bool call_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    return s->spans.at[a].id > s->spans.at[b].id;
}

/* Collects the calls of the host that have a correlation, sorted by it. */
static struct queued correlated_calls(const struct chrome_store *s)
{
    struct queued q = {0};
    uint32_t *spare;
    q.spans = chrome_order(s->spans.n, &spare);
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (s->spans.at[i].bits & SPAN_CORRELATED && s->spans.at[i].duration != CHROME_OPEN &&
            s->spans.at[i].name != GRAPH_NONE && !s->lanes.at[s->spans.at[i].lane].queue)
            q.spans[q.n++] = i;
    chrome_sort(q.spans, q.n, spare, call_after, s);
    free(spare);
    return q;
}

/* In merged files numbers occur again: takes the call during which the wait was. */
static void add_join(struct chrome_store *s, const struct queued *work, const struct queued *calls,
                     const struct chrome_wait *w)
{
    const struct graph *g = s->trace->calls;
    const struct chrome_span *x = find_awaited_work(s, work, w);
    uint32_t at = 0, found = GRAPH_NONE;
    SEARCH_FIRST(at, calls->n, s->spans.at[calls->spans[at]].id < w->correlation);
    for (; x && at < calls->n && s->spans.at[calls->spans[at]].id == w->correlation; at++) {
        const struct chrome_span *c = &s->spans.at[calls->spans[at]];
        if (c->start > w->end || c->start + (int64_t)c->duration < w->begin)
            continue;
        if (found != GRAPH_NONE)
            return;
        found = c->name;
    }
    if (found != GRAPH_NONE && g->start[x->name] + g->duration[x->name] <=
                                   g->start[found] + g->duration[found] + EXECUTION_NEAR_NS)
        graph_connect(s->trace->calls, x->name, found, EDGE_JOINS);
}

void chrome_add_waits(struct chrome_store *s)
{
    if (s->waits.n == 0)
        return;
    struct queued work = correlated_work(s), calls = correlated_calls(s);
    for (uint32_t i = 0; i < s->waits.n; i++) {
        const struct chrome_wait *w = &s->waits.at[i];
        if (w->lane == CHROME_NONE)
            add_join(s, &work, &calls, w);
        else
            add_dependency(s, &work, w);
    }
    free(calls.spans);
    free(work.spans);
}
