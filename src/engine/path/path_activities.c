/* Lanes, and what each did at each moment: the span that began last and has not ended. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"
#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/graph/graph_order.h"
#include "engine/path/path_work.h"

void *path_take(struct path_work *w, size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    w->no_memory |= !p;
    return p;
}

bool path_grow(struct path_work *w, void **list, size_t n, size_t size)
{
    void *more = realloc(*list, n * size);
    if (more)
        *list = more;
    else
        w->no_memory = true;
    return !w->no_memory;
}

/* --- lanes --- */

/* Whether a node begins a lane: a thread, a queue, a node outside of both, or a task that nobody
 * waits for. */
static bool begins_lane(const struct graph *g, uint32_t v)
{
    uint32_t up = g->parent[v];
    if (g->kind[v] == NODE_PROGRAM)
        return false;
    return graph_is_lane(g, v) || up == GRAPH_NONE || g->kind[up] == NODE_PROGRAM ||
           (g->via[v] == EDGE_LAUNCHES && !graph_is_lane(g, up));
}

static bool is_device_lane(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_QUEUE ||
           (!graph_is_lane(g, v) && (g->flags[v] & NODE_DEVICE_TIME) && g->via[v] == EDGE_LAUNCHES);
}

static bool find_path_lanes(struct path_work *w)
{
    const struct graph *g = w->g;
    uint32_t cap = 0;
    w->lane_of = path_take(w, g->nnodes, sizeof *w->lane_of);
    w->act_of = path_take(w, g->nnodes, sizeof *w->act_of);
    if (w->no_memory)
        return false;
    memset(w->act_of, 0xff, g->nnodes * sizeof *w->act_of);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t up = g->parent[v];
        if (!begins_lane(g, v)) {
            w->lane_of[v] = up == GRAPH_NONE ? GRAPH_NONE : w->lane_of[up];
            continue;
        }
        LIST_ROOM(w->lanes, w->nlanes, cap);
        w->lane_of[v] = w->nlanes;
        w->lanes[w->nlanes++] = (struct path_lane){.node = v, .device = is_device_lane(g, v)};
    }
    return true;
}

/* Work or a task of a queue; a task means that the queue was busy with work outside the window. */
static bool is_work_or_task(const struct graph *g, uint32_t v)
{
    return graph_is_work(g, v) || g->kind[v] == NODE_TASK || g->kind[v] == NODE_BRICK;
}

/* Ranges name a part of a program. They take part only where nothing else is recorded. */
static bool takes_part(const struct path_work *w, uint32_t v)
{
    const struct graph *g = w->g;
    if (w->lane_of[v] == GRAPH_NONE || !path_is_timed(g, v) || g->kind[v] == NODE_PROGRAM)
        return false;
    return !w->lanes[w->lane_of[v]].device || is_work_or_task(g, v);
}

static bool is_range(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_RANGE && !(g->flags[v] & NODE_COLLECTIVE);
}

/* Spans by lane, those of lane l at first[l], in order of begin. */
struct lane_spans {
    uint32_t *list, *first;
};

static bool sort_spans_of_lanes(struct path_work *w, struct lane_spans *s)
{
    const struct graph *g = w->g;
    uint32_t sum = 0, *ranges = path_take(w, w->nlanes + (size_t)1, sizeof *ranges);
    s->first = path_take(w, w->nlanes + (size_t)1, sizeof *s->first);
    s->list = path_take(w, g->nnodes, sizeof *s->list);
    for (uint32_t v = 0; !w->no_memory && v < g->nnodes; v++)
        if (takes_part(w, v))
            (is_range(g, v) ? ranges : s->first)[w->lane_of[v]]++;
    for (uint32_t l = 0; !w->no_memory && l <= w->nlanes; l++) { /* counts to begins */
        uint32_t own = s->first[l] ? s->first[l] : ranges[l];
        ranges[l] = s->first[l] == 0; /* from here on: whether ranges take part */
        s->first[l] = sum;
        sum += own;
    }
    for (uint32_t v = 0; !w->no_memory && v < g->nnodes; v++)
        if (takes_part(w, v) && (!is_range(g, v) || ranges[w->lane_of[v]]))
            s->list[s->first[w->lane_of[v]]++] = v;
    for (uint32_t l = w->nlanes; !w->no_memory && l-- > 0;) /* ends to begins */
        s->first[l] = l ? s->first[l - 1] : 0;
    free(ranges);
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes && !watch_given_up(); l++)
        graph_by_time(g, s->list + s->first[l], s->first[l + 1] - s->first[l], false);
    return !w->no_memory && !watch_given_up();
}

/* --- which spans are calls, and which wait --- */

static bool is_runtime(const char *name)
{
    return strncmp(name, "hip", 3) == 0 || strncmp(name, "hsa_", 4) == 0 ||
           (strncmp(name, "cu", 2) == 0 &&
            (strncmp(name, "cuda", 4) == 0 || (name[2] >= 'A' && name[2] <= 'Z')));
}

static bool classify_names(struct path_work *w)
{
    w->waits = path_take(w, w->g->nnames, 1);
    for (uint32_t i = 0; w->waits && i < w->g->nnames; i++) {
        const char *name = graph_text(w->g, i);
        w->waits[i] =
            (uint8_t)((execution_is_wait(name) || execution_is_sync(name) ? NAME_WAITS : 0) |
                      (execution_is_sleep(name) ? NAME_SLEEPS : 0) |
                      (is_runtime(name) ? NAME_RUNTIME : 0));
    }
    return w->waits != NULL;
}

static uint8_t class_of_call_name(const struct path_work *w, uint32_t v)
{
    const struct graph *g = w->g;
    return g->kind[v] == NODE_FUNCTION && g->name[v] < g->nnames ? w->waits[g->name[v]] : 0;
}

/* A bit for each call that launches work or waits. Spans inside such a call are part of it. */
static uint64_t *find_runtime_calls(struct path_work *w)
{
    const struct graph *g = w->g;
    uint64_t *calls = path_take(w, g->nnodes / 64 + (size_t)1, sizeof *calls);
    for (uint32_t v = 0; calls && v < g->nnodes; v++)
        if (class_of_call_name(w, v) & NAME_RUNTIME)
            calls[v / 64] |= UINT64_C(1) << v % 64;
    for (uint32_t e = 0; calls && e < g->nedges; e++) {
        uint32_t v = GRAPH_NONE;
        if (g->edge_kind[e] == EDGE_LAUNCHES)
            v = g->edge_from[e];
        else if (g->edge_kind[e] == EDGE_JOINS)
            v = g->edge_to[e];
        if (v != GRAPH_NONE && g->kind[v] == NODE_FUNCTION && g->first_child[v] == GRAPH_NONE)
            calls[v / 64] |= UINT64_C(1) << v % 64;
    }
    return calls;
}

/* --- the sweep --- */

struct sweep {
    struct path_work *w;
    const uint64_t *calls;
    uint32_t *open; /* the open spans, the last one began last */
    uint32_t depth, cap, call, lane;
    int64_t at;
    int64_t busy; /* the latest end of open spans that are no function of an interpreter */
};

static void add_activity(struct path_work *w, uint32_t lane, uint32_t node, int64_t t0, int64_t t1,
                         unsigned flags)
{
    uint32_t a = w->n++;
    w->t0[a] = t0;
    w->t1[a] = t1;
    w->node[a] = node;
    w->flags[a] = (uint8_t)(flags | (a == w->lanes[lane].from ? ACTIVITY_FIRST : 0));
    if (w->act_of[node] == GRAPH_NONE)
        w->act_of[node] = a;
}

/* An interpreter's function only names where a thread was, so other spans come first. */
static bool is_frame(const struct path_work *w, uint32_t v)
{
    return (w->g->flags[v] & NODE_FRAME) && !w->frames_only;
}

static void add_sweep_activity(struct sweep *s, int64_t until)
{
    struct path_work *w = s->w;
    if (s->call != GRAPH_NONE) {
        uint32_t last = w->n - 1;
        if (w->n > w->lanes[s->lane].from && w->node[last] == s->call)
            w->t1[last] = until;
        else
            add_activity(w, s->lane, s->call, s->at, until,
                         ACTIVITY_CALL |
                             (class_of_call_name(w, s->call) & NAME_WAITS ? ACTIVITY_WAIT : 0));
    } else if (s->depth > 0) {
        uint32_t v = s->open[s->depth - 1];
        bool context = is_frame(w, v) && s->busy <= s->at;
        add_activity(w, s->lane, v, s->at, until,
                     (class_of_call_name(w, v) & NAME_WAITS ? ACTIVITY_WAIT : 0) |
                         (context ? ACTIVITY_CONTEXT : 0));
    } else {
        add_activity(w, s->lane, w->lanes[s->lane].node, s->at, until, ACTIVITY_GAP);
    }
    s->at = until;
}

/* Makes all activities before a time. */
static void sweep_until(struct sweep *s, int64_t until)
{
    struct path_work *w = s->w;
    while (s->at < until) {
        while (s->depth > 0 && path_end(w, s->open[s->depth - 1]) <= s->at)
            s->depth--;
        if (s->call != GRAPH_NONE && path_end(w, s->call) <= s->at)
            s->call = GRAPH_NONE;
        int64_t upto = until;
        if (s->depth > 0 && path_end(w, s->open[s->depth - 1]) < upto)
            upto = path_end(w, s->open[s->depth - 1]);
        if (s->call != GRAPH_NONE && path_end(w, s->call) < upto)
            upto = path_end(w, s->call);
        if (s->busy > s->at && s->busy < upto)
            upto = s->busy;
        add_sweep_activity(s, upto);
    }
}

static void open_span(struct sweep *s, uint32_t v)
{
    struct path_work *w = s->w;
    int64_t end = path_end(w, v);
    if (s->call != GRAPH_NONE && path_end(w, s->call) <= s->at)
        s->call = GRAPH_NONE;
    LIST_ROOM(s->open, s->depth, s->cap);
    s->open[s->depth++] = v;
    s->busy = !is_frame(w, v) && end > s->busy ? end : s->busy;
    if (s->call != GRAPH_NONE || !(s->calls[v / 64] >> v % 64 & 1))
        return;
    if (end > s->at) {
        s->call = v;
    } else { /* a span without length, which may still launch work */
        add_activity(w, s->lane, v, s->at, s->at, ACTIVITY_CALL);
        s->depth--;
    }
}

static void sweep_lane(struct sweep *s, const uint32_t *spans, uint32_t n)
{
    struct path_work *w = s->w;
    int64_t last = 0;
    s->depth = 0;
    s->call = GRAPH_NONE;
    s->at = s->busy = path_start(w, spans[0]);
    for (uint32_t i = 0; i < n && !watch_stops(i); i++) {
        sweep_until(s, path_start(w, spans[i]));
        open_span(s, spans[i]);
        last = path_end(w, spans[i]) > last ? path_end(w, spans[i]) : last;
    }
    sweep_until(s, last);
}

/* Works of a queue may overlap; each is an activity. Of those that begin together the shorter comes
 * first, as in the order of all activities. */
static void add_queue_works(struct path_work *w, uint32_t lane, uint32_t *spans, uint32_t n)
{
    for (uint32_t a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && path_start(w, spans[b]) == path_start(w, spans[a]);)
            b++;
        graph_by_time(w->g, spans + a, b - a, true);
    }
    for (uint32_t i = 0; i < n; i++)
        add_activity(w, lane, spans[i], path_start(w, spans[i]), path_end(w, spans[i]),
                     ACTIVITY_DEVICE | (w->g->kind[spans[i]] == NODE_TASK ? ACTIVITY_WAIT : 0));
}

/* Whether a lane has operations: spans that are neither ranges nor frames nor waits. */
static bool has_operations(const struct path_work *w, const uint32_t *spans, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_range(w->g, spans[i]) && !(w->g->flags[spans[i]] & NODE_FRAME))
            return true;
    return false;
}

static bool take_activities(struct path_work *w, const struct lane_spans *s)
{
    size_t most = 2 * (size_t)s->first[w->nlanes] + w->nlanes + 1;
    w->t0 = path_take(w, most, sizeof *w->t0);
    w->t1 = path_take(w, most, sizeof *w->t1);
    w->node = path_take(w, most, sizeof *w->node);
    w->flags = path_take(w, most, sizeof *w->flags);
    return !w->no_memory;
}

/* Lanes that only an interpreter's functions fill are left out, if any lane has operations. */
static void choose_lanes(struct path_work *w, const struct lane_spans *s)
{
    bool any = false;
    for (uint32_t l = 0; l < w->nlanes; l++) {
        struct path_lane *lane = &w->lanes[l];
        lane->busy =
            lane->device || has_operations(w, s->list + s->first[l], s->first[l + 1] - s->first[l]);
        any |= lane->busy;
    }
    w->frames_only = !any;
    for (uint32_t l = 0; l < w->nlanes; l++)
        w->lanes[l].busy |= !any;
}

static void find_base(struct path_work *w)
{
    const struct graph *g = w->g;
    w->base = GRAPH_UNKNOWN;
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (path_is_timed(g, v) && g->start[v] < w->base)
            w->base = g->start[v];
}

bool path_find_activities(struct path_work *w)
{
    struct lane_spans s = {0};
    uint64_t *calls = NULL;
    find_base(w);
    bool ok = classify_names(w) && find_path_lanes(w) && sort_spans_of_lanes(w, &s) &&
              (calls = find_runtime_calls(w)) != NULL && take_activities(w, &s);
    struct sweep sweep = {.w = w, .calls = calls};
    if (ok)
        choose_lanes(w, &s);
    for (uint32_t l = 0; ok && l < w->nlanes; l++) {
        struct path_lane *lane = &w->lanes[l];
        uint32_t *spans = s.list + s.first[l], n = s.first[l + 1] - s.first[l];
        sweep.lane = l;
        lane->from = w->n;
        if (lane->busy && n > 0 && lane->device)
            add_queue_works(w, l, spans, n);
        else if (lane->busy && n > 0)
            sweep_lane(&sweep, spans, n);
        lane->to = w->n;
        ok = !watch_given_up();
    }
    free(sweep.open);
    free(calls);
    free(s.list);
    free(s.first);
    return ok;
}

uint32_t path_at(const struct path_work *w, uint32_t lane, int64_t at)
{
    const uint32_t first = w->lanes[lane].from;
    uint32_t later = first; /* the first that begins later */
    SEARCH_FIRST(later, w->lanes[lane].to, w->t0[later] <= at);
    return later > first ? later - 1 : later;
}
