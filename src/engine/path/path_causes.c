/* What each activity came after, as far as the profile records it. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/path/path_work.h"

bool path_add_edge(struct path_work *w, uint32_t from, uint32_t to, enum cause kind, bool back)
{
    if (w->nedges == w->edges_cap) {
        size_t cap = w->edges_cap ? 2 * w->edges_cap : 1024;
        struct path_edge *more = realloc(w->edges, cap * sizeof *more);
        w->no_memory |= !more;
        if (!more)
            return false;
        w->edges = more;
        w->edges_cap = cap;
    }
    w->edges[w->nedges++] = (struct path_edge){from, to, (uint8_t)kind, back};
    return true;
}

bool path_add_cut(struct path_work *w, uint32_t activity, int64_t at, bool elastic)
{
    if (w->ncuts == w->cuts_cap) {
        size_t cap = w->cuts_cap ? 2 * w->cuts_cap : 256;
        struct path_cut *more = realloc(w->cuts, cap * sizeof *more);
        w->no_memory |= !more;
        if (!more)
            return false;
        w->cuts = more;
        w->cuts_cap = cap;
    }
    w->cuts[w->ncuts++] = (struct path_cut){activity, at, elastic};
    return true;
}

/* --- cuts --- */

static int by_activity(const void *a, const void *b)
{
    const struct path_cut *x = a, *y = b;
    if (x->activity != y->activity)
        return x->activity < y->activity ? -1 : 1;
    return (x->at < y->at) - (x->at > y->at);
}

static int64_t clamp_path_time(int64_t t, int64_t low, int64_t high)
{
    if (t < low)
        return low;
    return t > high ? high : t;
}

/* Moves activity a to `to`, and behind it its second part if c is its cut. */
static void move_activity(struct path_work *w, uint32_t a, const struct path_cut *c, uint32_t to)
{
    const int64_t t0 = w->t0[a], t1 = w->t1[a];
    const uint32_t node = w->node[a];
    const uint8_t flags = w->flags[a];
    w->t0[to] = t0;
    w->t1[to] = t1;
    w->node[to] = node;
    w->flags[to] = flags;
    if (!c)
        return;
    const int64_t at = clamp_path_time(c->at, t0, t1);
    const unsigned known = flags & ~(unsigned)ACTIVITY_WAIT;
    w->t0[to + 1] = at;
    w->t1[to + 1] = t1;
    w->node[to + 1] = node;
    w->flags[to + 1] = (uint8_t)(known & ~(unsigned)ACTIVITY_FIRST);
    w->t1[to] = c->elastic || at - t0 < PATH_CALL_NS ? at : t0 + PATH_CALL_NS;
    w->flags[to] = (uint8_t)(known | (c->elastic ? ACTIVITY_ELASTIC : 0));
}

static void move_edges(struct path_work *w, const uint32_t *now)
{
    for (size_t e = 0; e < w->nedges; e++) {
        struct path_edge *edge = &w->edges[e];
        bool begin = edge->kind == CAUSE_LAUNCH || edge->kind == CAUSE_SPAWN;
        edge->from = begin ? now[edge->from] : now[edge->from + 1] - 1;
        edge->to = edge->back ? now[edge->to + 1] - 1 : now[edge->to];
        edge->back = false;
    }
}

/* Updates the activities of nodes, lanes and edges to the new numbers. */
static void renumber_activities(struct path_work *w, const uint32_t *now)
{
    for (uint32_t v = 0; v < w->g->nnodes; v++)
        if (w->act_of[v] != GRAPH_NONE)
            w->act_of[v] = now[w->act_of[v]];
    for (uint32_t l = 0; l < w->nlanes; l++) {
        w->lanes[l].from = now[w->lanes[l].from];
        w->lanes[l].to = now[w->lanes[l].to];
    }
    move_edges(w, now);
}

/* Keeps one cut of each activity: the last. Makes room for the second parts. */
static bool settle_cuts(struct path_work *w)
{
    size_t kept = 0;
    qsort(w->cuts, w->ncuts, sizeof *w->cuts, by_activity);
    for (size_t c = 0; c < w->ncuts; c++)
        if (c == 0 || w->cuts[c].activity != w->cuts[c - 1].activity)
            w->cuts[kept++] = w->cuts[c];
    w->ncuts = kept;
    const size_t most = w->n + kept + 1;
    return path_grow(w, (void **)&w->t0, most, sizeof *w->t0) &&
           path_grow(w, (void **)&w->t1, most, sizeof *w->t1) &&
           path_grow(w, (void **)&w->node, most, sizeof *w->node) &&
           path_grow(w, (void **)&w->flags, most, sizeof *w->flags);
}

/* The second part of a cut activity follows the first in its lane. They are moved within their
 * arrays, the last one first, because a second copy of these would be the most memory of all. */
bool path_apply_cuts(struct path_work *w)
{
    if (w->ncuts == 0) {
        for (size_t e = 0; e < w->nedges; e++)
            w->edges[e].back = false;
        return !w->no_memory;
    }
    uint32_t *now = path_take(w, w->n + (size_t)1, sizeof *now);
    if (w->no_memory || !settle_cuts(w)) {
        free(now);
        return false;
    }
    size_t c = w->ncuts;
    now[w->n] = w->n + (uint32_t)c;
    for (uint32_t a = w->n; a-- > 0;) {
        const bool cut = c > 0 && w->cuts[c - 1].activity == a;
        c -= cut;
        now[a] = a + (uint32_t)c;
        move_activity(w, a, cut ? &w->cuts[c] : NULL, now[a]);
    }
    renumber_activities(w, now);
    w->n = now[w->n];
    free(w->cuts);
    w->cuts = NULL;
    w->ncuts = w->cuts_cap = 0;
    free(now);
    return true;
}

/* --- ranks: programs that launch each other's work --- */

static uint32_t root_of(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

static uint32_t find_root_of_lanes(uint32_t *up, uint32_t l)
{
    while (up[l] != l)
        l = up[l] = up[up[l]];
    return l;
}

static uint32_t live_lane(const struct path_work *w, uint32_t v)
{
    uint32_t l = w->lane_of[v];
    return l != GRAPH_NONE && path_is_timed(w->g, v) && w->lanes[l].from < w->lanes[l].to
               ? l
               : GRAPH_NONE;
}

/* Lanes of one program, and of programs that launch each other's work, form one rank. */
static bool find_ranks(struct path_work *w)
{
    const struct graph *g = w->g;
    uint32_t *up = path_take(w, w->nlanes, sizeof *up);
    uint32_t *of_root = path_take(w, g->nnodes, sizeof *of_root);
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes; l++) {
        uint32_t root = root_of(g, w->lanes[l].node);
        up[l] = of_root[root] ? of_root[root] - 1 : l;
        of_root[root] = up[l] + 1;
    }
    for (uint32_t e = 0; !w->no_memory && e < g->nedges; e++) {
        if (g->edge_kind[e] != EDGE_LAUNCHES)
            continue;
        uint32_t a = live_lane(w, g->edge_from[e]), b = live_lane(w, g->edge_to[e]);
        if (a != GRAPH_NONE && b != GRAPH_NONE)
            up[find_root_of_lanes(up, b)] = find_root_of_lanes(up, a);
    }
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes; l++)
        if (find_root_of_lanes(up, l) == l)
            w->lanes[l].rank = w->nranks++;
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes; l++)
        w->lanes[l].rank = w->lanes[find_root_of_lanes(up, l)].rank;
    free(up);
    free(of_root);
    return !w->no_memory;
}

/* --- the clock of devices --- */

static bool is_launch(const struct path_work *w, uint32_t e)
{
    const struct graph *g = w->g;
    if (g->edge_kind[e] != EDGE_LAUNCHES)
        return false;
    uint32_t from = live_lane(w, g->edge_from[e]), to = live_lane(w, g->edge_to[e]);
    return from != GRAPH_NONE && to != GRAPH_NONE && w->lanes[to].device &&
           w->act_of[g->edge_to[e]] != GRAPH_NONE;
}

/* Work recorded before its call: its device's clock is off by the same for all its work. */
static bool move_devices(struct path_work *w)
{
    enum { LEAST = 500 }; /* ns from a call's begin to its work, after the move */
    int64_t *early = path_take(w, w->nranks, sizeof *early);
    for (uint32_t e = 0; early && e < w->g->nedges; e++) {
        if (!is_launch(w, e))
            continue;
        uint32_t to = w->g->edge_to[e], rank = w->lanes[w->lane_of[to]].rank;
        int64_t by = path_start(w, w->g->edge_from[e]) - path_start(w, to);
        early[rank] = by > early[rank] && by < PATH_SKEW_NS ? by : early[rank];
        w->moved = early[rank] && early[rank] + LEAST > w->moved ? early[rank] + LEAST : w->moved;
    }
    for (uint32_t a = 0; early && a < w->n; a++)
        if (w->flags[a] & ACTIVITY_DEVICE) {
            int64_t by = early[path_lane_of(w, a)->rank];
            w->t0[a] += by ? by + LEAST : 0;
            w->t1[a] += by ? by + LEAST : 0;
        }
    free(early);
    return !w->no_memory;
}

/* --- edges --- */

/* The first and the last activity of a node. */
static uint32_t begin_of(const struct path_work *w, uint32_t v)
{
    uint32_t a = w->act_of[v];
    if (a != GRAPH_NONE && (w->lanes[w->lane_of[v]].device || w->t0[a] == path_start(w, v)))
        return a;
    return path_at(w, w->lane_of[v], path_start(w, v));
}

static uint32_t find_end_activity(const struct path_work *w, uint32_t v)
{
    uint32_t a = w->act_of[v];
    int64_t end = path_end(w, v);
    if (a != GRAPH_NONE && (w->lanes[w->lane_of[v]].device || w->t1[a] == end))
        return a;
    uint32_t last = path_at(w, w->lane_of[v], end);
    return w->t0[last] == end && last > w->lanes[w->lane_of[v]].from ? last - 1 : last;
}

static bool is_above(const struct graph *g, uint32_t above, uint32_t v)
{
    for (; v != GRAPH_NONE; v = g->parent[v])
        if (v == above)
            return true;
    return false;
}

/* Adds the waits of a node for others before it began, in which its thread did nothing else. */
static void add_wait_of_node(struct path_work *w, uint32_t from, uint32_t v, enum cause kind)
{
    uint32_t a = find_end_activity(w, from), b = begin_of(w, v);
    if (!w->lanes[w->lane_of[v]].device && !(w->flags[b] & ACTIVITY_FIRST)) {
        uint32_t before = b - 1;
        bool idle = path_is_quiet(w, before) || is_above(w->g, w->node[before], w->g->parent[v]);
        if (idle && w->t0[before] < w->t1[a] && w->t1[a] <= w->t1[before]) {
            path_add_cut(w, before, w->t1[a], true);
            path_add_edge(w, a, before, kind, true);
            return;
        }
    }
    path_add_edge(w, a, b, kind, false);
}

/* A node that could end only after other work: for its own activity then, or the next. */
static void add_join_of_node(struct path_work *w, uint32_t from, uint32_t v)
{
    const struct path_lane *lane = &w->lanes[w->lane_of[v]];
    uint32_t a = find_end_activity(w, from);
    int64_t at = w->t1[a];
    if (at > path_end(w, v) + PATH_NEAR_NS)
        return;
    if (at < path_start(w, v))
        at = path_start(w, v);
    uint32_t b = path_at(w, w->lane_of[v], at < path_end(w, v) ? at : path_end(w, v) - 1);
    if (lane->device) {
        path_add_edge(w, a, begin_of(w, v), CAUSE_EVENT, false);
        return;
    }
    while (b < lane->to && w->node[b] != v && w->t0[b] < path_end(w, v))
        b++; /* a span inside begins at that time: the activity after it waited */
    if (b >= lane->to || w->node[b] != v)
        return;
    path_add_cut(w, b, at, !(w->flags[b] & ACTIVITY_CALL));
    path_add_edge(w, a, b, CAUSE_SYNC, true);
}

/* The time from the begin of a receive to that of its send is a wait; what follows is the transfer.
 * What the sender did before it sent is its cause. */
static void add_message_wait(struct path_work *w, uint32_t send, uint32_t receive)
{
    uint32_t a = begin_of(w, send), b = find_end_activity(w, receive);
    if (w->t0[a] > w->t1[b])
        return;
    path_add_cut(w, b, w->t0[a], true);
    if (!(w->flags[a] & ACTIVITY_FIRST))
        path_add_edge(w, a - 1, b, CAUSE_EVENT, true);
}

static void add_launch(struct path_work *w, uint32_t call, uint32_t v)
{
    uint32_t a = path_at(w, w->lane_of[call], path_start(w, call)), b = begin_of(w, v);
    if (w->act_of[call] != GRAPH_NONE && (w->flags[w->act_of[call]] & ACTIVITY_CALL))
        a = w->act_of[call];
    if (w->t0[b] + PATH_NEAR_NS >= w->t0[a])
        path_add_edge(w, a, b, CAUSE_LAUNCH, false);
}

/* Adds the nodes that a node started and that ran on at the same time. */
static void add_spawn(struct path_work *w, uint32_t v)
{
    uint32_t up = w->g->parent[v], a, b = w->lanes[w->lane_of[v]].from;
    if (up == GRAPH_NONE || live_lane(w, up) == GRAPH_NONE)
        return;
    a = path_at(w, w->lane_of[up], w->t0[b]);
    if (w->t0[a] <= w->t0[b])
        path_add_edge(w, a, b, CAUSE_SPAWN, false);
}

static void add_recorded(struct path_work *w, uint32_t e)
{
    const struct graph *g = w->g;
    uint32_t from = g->edge_from[e], to = g->edge_to[e];
    uint32_t a = live_lane(w, from), b = live_lane(w, to);
    if (from == to || a == GRAPH_NONE || b == GRAPH_NONE)
        return;
    switch (g->edge_kind[e]) {
    case EDGE_LAUNCHES:
        if (w->lanes[b].device ? w->act_of[to] != GRAPH_NONE : a != b)
            add_launch(w, from, to);
        break;
    case EDGE_SEQUENCE:
        if (a != b)
            add_wait_of_node(w, from, to, CAUSE_EVENT);
        break;
    case EDGE_DEPENDS:
    case EDGE_TRANSFER:
        add_wait_of_node(w, from, to, CAUSE_EVENT);
        break;
    case EDGE_INFERRED:
        add_wait_of_node(w, from, to, CAUSE_INFERRED);
        break;
    case EDGE_JOINS:
        add_join_of_node(w, from, to);
        break;
    case EDGE_MEETS:
        path_add_edge(w, find_end_activity(w, from), find_end_activity(w, to), CAUSE_MEETS, true);
        break;
    case EDGE_MESSAGE:
        add_message_wait(w, from, to);
        break;
    default:
        break;
    }
}

bool path_find_causes(struct path_work *w)
{
    if (!find_ranks(w) || !move_devices(w))
        return false;
    for (uint32_t e = 0; e < w->g->nedges && !w->no_memory && !watch_stops(e); e++)
        add_recorded(w, e);
    for (uint32_t l = 0; l < w->nlanes; l++)
        if (w->lanes[l].from < w->lanes[l].to && w->g->via[w->lanes[l].node] == EDGE_LAUNCHES &&
            path_is_timed(w->g, w->lanes[l].node))
            add_spawn(w, w->lanes[l].node);
    return !w->no_memory && !watch_given_up() && path_apply_cuts(w);
}
