/* Finds work that waited for another queue's event, if a profile lacks the arguments of calls.
 * Programs record the event on the queue of their last launch; the next launch's queue waits. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/graph/execution.h"

enum { RECENT = 8 /* queues */, WAITS = 8, AFTER_NS = 300 /* clocks of two queues agree so far */ };
enum what { LAUNCH, RECORD, WAIT };

struct call {
    uint64_t start;
    uint32_t thread, node, work; /* work: of LAUNCH */
    enum what what;
};

struct calls {
    struct call *list;
    uint32_t n, cap;
};

/* The last work of each queue, the latest launch first. */
struct recent {
    uint32_t work[RECENT], n;
};

static int compare_event_calls(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->work > y->work) - (x->work < y->work);
}

static uint32_t find_calling_thread(const struct graph *g, uint32_t v)
{
    while (g->kind[v] != NODE_THREAD && g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

static void add_event_call(const struct graph *g, struct calls *c, uint32_t v, enum what what,
                           uint32_t work)
{
    if (g->kind[v] != NODE_FUNCTION || g->start[v] == GRAPH_UNKNOWN)
        return;
    LIST_ROOM(c->list, c->n, c->cap);
    c->list[c->n++] = (struct call){g->start[v], find_calling_thread(g, v), v, work, what};
}

static bool is_timed_queue_work(const struct graph *g, uint32_t v)
{
    return graph_is_work(g, v) && g->parent[v] != GRAPH_NONE &&
           g->kind[g->parent[v]] == NODE_QUEUE && g->start[v] != GRAPH_UNKNOWN &&
           g->duration[v] != GRAPH_UNKNOWN;
}

/* Bits of each name: whether it records an event, or waits for one; found: the bits that occur. */
static uint8_t *event_names(const struct graph *g, unsigned *found)
{
    uint8_t *what = xcalloc(g->nnames + (size_t)1, 1);
    for (uint32_t i = 0; i < g->nnames; i++) {
        const char *name = graph_text(g, i);
        if (strstr(name, "EventRecord"))
            what[i] = RECORD;
        else if (strstr(name, "StreamWaitEvent"))
            what[i] = WAIT;
        *found |= 1U << what[i];
    }
    return what;
}

static void remember_recent_work(const struct graph *g, struct recent *r, uint32_t work)
{
    uint32_t i = 0;
    while (i < r->n && g->parent[r->work[i]] != g->parent[work])
        i++;
    if (i == r->n)
        r->n += r->n < RECENT;
    i -= i == r->n;
    memmove(r->work + 1, r->work, i * sizeof *r->work);
    r->work[0] = work;
}

static void connect_awaited_works(struct graph *g, const struct recent *r, uint32_t work)
{
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t x = r->work[i];
        if (g->parent[x] == g->parent[work])
            continue;
        if (g->start[x] + g->duration[x] <= g->start[work] + AFTER_NS)
            graph_connect(g, x, work, EDGE_INFERRED);
        return;
    }
}

static void connect_event_waits(struct graph *g, const struct call *list, uint32_t n,
                                bool has_records)
{
    struct recent now = {.n = 0}, recorded = now, waits[WAITS];
    uint32_t nwaits = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct call *c = &list[i];
        if (i && list[i - 1].thread != c->thread)
            now.n = recorded.n = nwaits = 0;
        if (c->what == RECORD) {
            recorded = now;
        } else if (c->what == WAIT && nwaits < WAITS) {
            waits[nwaits++] = has_records ? recorded : now;
        } else if (c->what == LAUNCH) {
            for (uint32_t k = 0; k < nwaits; k++)
                connect_awaited_works(g, &waits[k], c->work);
            nwaits = 0;
            remember_recent_work(g, &now, c->work);
        }
    }
}

void execution_events(struct graph *calls, uint32_t from, uint32_t to)
{
    unsigned found = 0;
    uint8_t *what = event_names(calls, &found);
    struct calls c = {0};
    bool known = (found >> WAIT & 1) == 0;
    for (uint32_t e = 0; e < calls->nedges && !known; e++)
        known = calls->edge_kind[e] == EDGE_DEPENDS &&
                is_timed_queue_work(calls, calls->edge_from[e]) &&
                is_timed_queue_work(calls, calls->edge_to[e]);
    for (uint32_t v = from; v < to && !known; v++)
        if (what[calls->name[v]])
            add_event_call(calls, &c, v, what[calls->name[v]], GRAPH_NONE);
    for (uint32_t e = 0; e < calls->nedges && !known; e++)
        if (calls->edge_kind[e] == EDGE_LAUNCHES && is_timed_queue_work(calls, calls->edge_to[e]))
            add_event_call(calls, &c, calls->edge_from[e], LAUNCH, calls->edge_to[e]);
    if (c.n)
        qsort(c.list, c.n, sizeof *c.list, compare_event_calls);
    connect_event_waits(calls, c.list, c.n, found >> RECORD & 1);
    free(c.list);
    free(what);
}
