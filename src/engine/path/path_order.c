/* One order of all activities, in which causes come first, and the pauses between. */
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "engine/path/path_work.h"

/* Compares two activities: causes come first. */
static bool comes_first(const struct path_work *w, uint32_t a, uint32_t b)
{
    if (w->t0[a] != w->t0[b])
        return w->t0[a] < w->t0[b];
    return w->t1[a] != w->t1[b] ? w->t1[a] < w->t1[b] : a < b;
}

/* --- the members of collectives --- */

static int64_t earlier_path_time(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether all members of a ring ran at one moment. If so, last is the one that began last. */
static bool have_ranks_met(const struct path_work *w, uint32_t first, uint32_t *last)
{
    int64_t end = w->t1[first];
    *last = first;
    for (uint32_t p = w->peer[first]; p != first; p = w->peer[p]) {
        *last = comes_first(w, *last, p) ? p : *last;
        end = earlier_path_time(w->t1[p], end);
    }
    return w->t0[*last] < end + PATH_NEAR_NS;
}

/* Keeps the ring of an activity if it is a collective whose members met, and forgets it if not. */
static void settle_ring(struct path_work *w, uint32_t a)
{
    uint32_t last, p = a;
    if (w->peer[a] != a && have_ranks_met(w, a, &last)) {
        w->flags[last] |= ACTIVITY_MET;
        return;
    }
    do {
        uint32_t next = w->peer[p];
        w->peer[p] = GRAPH_NONE;
        p = next;
    } while (p != a);
}

static void mark_ring(const struct path_work *w, uint32_t a, uint8_t *seen)
{
    while (a != GRAPH_NONE && !seen[a]) {
        seen[a] = 1;
        a = w->peer[a];
    }
}

/* Makes a ring of the members of each collective. Two rings become one where the next members of
 * two of them change places. */
static void link_meeting_peers(struct path_work *w)
{
    for (uint32_t a = 0; a < w->n; a++)
        w->peer[a] = a;
    for (size_t e = 0; e < w->nedges; e++)
        if (w->edges[e].kind == CAUSE_MEETS) {
            uint32_t *x = &w->peer[w->edges[e].from], *y = &w->peer[w->edges[e].to], swap = *x;
            *x = *y;
            *y = swap;
        }
}

static bool find_peers(struct path_work *w)
{
    size_t e = 0;
    while (e < w->nedges && w->edges[e].kind != CAUSE_MEETS)
        e++;
    if (e == w->nedges)
        return true;
    uint8_t *seen = path_take(w, w->n, 1);
    w->peer = path_take(w, w->n, sizeof *w->peer);
    if (!w->no_memory)
        link_meeting_peers(w);
    for (uint32_t a = 0; !w->no_memory && a < w->n; a++)
        if (!seen[a]) {
            mark_ring(w, a, seen);
            settle_ring(w, a);
        }
    free(seen);
    return !w->no_memory;
}

/* --- order --- */

static void sort_run(const struct path_work *w, uint32_t *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) { /* the list is nearly sorted */
        uint32_t v = list[i], k = i;
        for (; k > 0 && comes_first(w, v, list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = v;
    }
}

static void merge_activities(const struct path_work *w, const uint32_t *from, uint32_t low,
                             uint32_t mid, uint32_t high, uint32_t *to)
{
    uint32_t a = low, b = mid, n = low;
    while (a < mid && b < high)
        to[n++] = comes_first(w, from[b], from[a]) ? from[b++] : from[a++];
    memcpy(to + n, from + a, (mid - a) * sizeof *to);
    n += mid - a;
    memcpy(to + n, from + b, (high - b) * sizeof *to);
}

/* Lanes are in order already, so they are merged two at a time. */
static bool sort_all(struct path_work *w)
{
    uint32_t *spare = path_take(w, w->n, sizeof *spare), nruns = 0;
    uint32_t *runs = path_take(w, w->nlanes + (size_t)2, sizeof *runs);
    w->order = path_take(w, w->n, sizeof *w->order);
    if (w->no_memory) {
        free(spare);
        free(runs);
        return false;
    }
    for (uint32_t i = 0; i < w->n; i++)
        w->order[i] = i;
    for (uint32_t l = 0; l < w->nlanes; l++)
        if (w->lanes[l].from < w->lanes[l].to) {
            runs[nruns++] = w->lanes[l].from;
            sort_run(w, w->order + w->lanes[l].from, w->lanes[l].to - w->lanes[l].from);
        }
    runs[nruns] = w->n;
    while (nruns > 1 && !watch_given_up()) {
        uint32_t next = 0;
        for (uint32_t r = 0; r < nruns; r += 2) {
            uint32_t mid = runs[r + 1], high = r + 2 <= nruns ? runs[r + 2] : mid;
            merge_activities(w, w->order, runs[r], mid, high, spare);
            runs[next++] = runs[r];
        }
        runs[next] = w->n;
        nruns = next;
        uint32_t *swap = w->order;
        w->order = spare;
        spare = swap;
    }
    free(spare);
    free(runs);
    return !watch_given_up();
}

/* --- causes by activity --- */

/* Keeps edges that point forward in time, by `to`, then by the order that decides ties. */
static bool pack_edges(struct path_work *w)
{
    uint32_t kept = 0, sum = 0;
    w->first = path_take(w, w->n + (size_t)1, sizeof *w->first);
    w->from = path_take(w, w->nedges, sizeof *w->from);
    w->kind = path_take(w, w->nedges, sizeof *w->kind);
    w->pause = path_take(w, w->nedges, sizeof *w->pause);
    if (w->no_memory)
        return false;
    for (size_t e = 0; e < w->nedges; e++) {
        struct path_edge *edge = &w->edges[e];
        bool begin = edge->kind == CAUSE_LAUNCH || edge->kind == CAUSE_SPAWN;
        if (edge->kind < CAUSE_LANE && comes_first(w, edge->from, edge->to) &&
            (begin || w->t1[edge->from] <= w->t1[edge->to] + PATH_NEAR_NS)) {
            w->edges[kept++] = *edge;
            w->first[edge->to + 1]++;
        }
    }
    for (uint32_t a = 0; a <= w->n; a++) { /* the begin of each is stored one index further */
        uint32_t own = w->first[a + 1];
        w->first[a + 1] = sum;
        sum += own;
    }
    for (int kind = 0; kind < CAUSE_LANE; kind++)
        for (uint32_t e = 0; e < kept; e++)
            if (w->edges[e].kind == kind) {
                uint32_t at = w->first[w->edges[e].to + 1]++;
                w->from[at] = w->edges[e].from;
                w->kind[at] = (uint8_t)kind;
            }
    w->nedges = kept;
    return true;
}

/* --- pauses --- */

static int compare_latencies(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the time of a launch whose work waits for nothing else: a short launch among those of the
 * rank, and PATH_LAUNCH_NS at most, because a device that always has work shows no such launch. */
static bool find_latency(struct path_work *w)
{
    uint32_t n = 0, *next = path_take(w, w->nranks + (size_t)1, sizeof *next);
    int64_t *seen = path_take(w, w->nedges, sizeof *seen);
    w->latency = path_take(w, w->nranks, sizeof *w->latency);
    for (int fill = 0; !w->no_memory && fill < 2; fill++) {
        for (size_t e = 0; e < w->nedges; e++) {
            const struct path_edge *edge = &w->edges[e];
            uint32_t r = path_lane_of(w, edge->to)->rank;
            if (edge->kind != CAUSE_LAUNCH)
                continue;
            if (fill)
                seen[next[r]] = w->t0[edge->to] - w->t0[edge->from];
            next[r]++;
        }
        for (uint32_t r = 0, sum = 0; r < w->nranks; r++) {
            uint32_t own = next[r];
            next[r] = sum;
            sum = fill ? own : sum + own;
            n = sum;
        }
    }
    for (uint32_t r = 0; !w->no_memory && r < w->nranks; r++) {
        uint32_t low = next[r], high = r + 1 < w->nranks ? next[r + 1] : n;
        w->latency[r] = PATH_LAUNCH_NS;
        if (low == high)
            continue;
        qsort(seen + low, high - low, sizeof *seen, compare_latencies);
        int64_t usual = seen[low + (high - low) / 20];
        w->latency[r] = usual < PATH_LAUNCH_NS ? usual : PATH_LAUNCH_NS;
    }
    free(next);
    free(seen);
    return !w->no_memory;
}

/* The time at which a cause let an activity begin. */
static int64_t find_cause_arrival(const struct path_work *w, uint32_t a, uint32_t from,
                                  unsigned kind)
{
    if (kind == CAUSE_LAUNCH)
        return w->t0[from] +
               earlier_path_time(w->latency[path_lane_of(w, a)->rank], w->t0[a] - w->t0[from]);
    if (kind == CAUSE_SPAWN)
        return w->t0[a];
    return earlier_path_time(w->t1[from], w->t0[a]);
}

/* The pause between works of a queue that has work waiting: the median of those below
 * PATH_NEAR_NS, DEVICE_PAUSE at most; 0 if too few were measured. */
static void find_usual_pause(struct path_work *w)
{
    enum { DEVICE_PAUSE = 1000, FEWEST = 20 };
    uint32_t n = 0;
    int64_t *seen = path_take(w, w->n, sizeof *seen);
    for (uint32_t l = 0; seen && l < w->nlanes; l++)
        for (uint32_t a = w->lanes[l].from + 1; w->lanes[l].device && a < w->lanes[l].to; a++)
            if (w->t0[a] - w->t1[a - 1] < PATH_NEAR_NS && w->t0[a] >= w->t1[a - 1])
                seen[n++] = w->t0[a] - w->t1[a - 1];
    if (n >= FEWEST) {
        qsort(seen, n, sizeof *seen, compare_latencies);
        w->usual = earlier_path_time(seen[n / 2], DEVICE_PAUSE);
    }
    free(seen);
}

/* Whether a call was cut but ended so soon afterwards that it need not have waited. */
static bool did_not_wait(const struct path_work *w, uint32_t a)
{
    return w->kind[w->why[a] - 2] == CAUSE_SYNC && w->node[a - 1] == w->node[a] &&
           !(w->flags[a - 1] & ACTIVITY_ELASTIC) && w->t1[a - 1] == w->t0[a];
}

/* Finds the cause that came last before an activity. */
static void find_why(struct path_work *w, uint32_t a)
{
    bool device = w->flags[a] & ACTIVITY_DEVICE, lane = !(w->flags[a] & ACTIVITY_FIRST);
    int64_t last = INT64_MIN;
    if (lane && device) {
        last = earlier_path_time(w->t1[a - 1] + w->usual, w->t0[a]);
        w->why[a] = 1;
    }
    for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++) {
        int64_t at = find_cause_arrival(w, a, w->from[e], w->kind[e]);
        if (at > last) {
            last = at;
            w->why[a] = 2 + e;
        }
    }
    if (lane && !device &&
        find_cause_arrival(w, a, a - 1, CAUSE_LANE) + (w->why[a] && did_not_wait(w, a)) > last)
        w->why[a] = 1;
    if (w->why[a] == 1 && w->flags[a - 1] & ACTIVITY_ELASTIC) { /* its cause was left out */
        w->flags[a - 1] &= (uint8_t)~ACTIVITY_ELASTIC;
        w->flags[a - 1] |= ACTIVITY_WAIT;
    }
}

/* Pauses after causes: measured after the one that came last, the shortest seen after others. */
static void set_pauses(struct path_work *w, uint32_t a)
{
    for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++) {
        uint32_t from = w->from[e];
        int64_t measured = w->t0[a] - w->t1[from];
        int64_t usual = w->t0[from] - w->t1[from] + w->latency[path_lane_of(w, a)->rank];
        if (w->why[a] == 2 + e || w->kind[e] == CAUSE_SPAWN)
            w->pause[e] = measured;
        else
            w->pause[e] = earlier_path_time(w->kind[e] == CAUSE_LAUNCH ? usual : 0, measured);
    }
}

/* --- where the path ends --- */

/* A lane's last activity that is not a gap or a wait for something unknown; GRAPH_NONE: none. */
static uint32_t last_of(const struct path_work *w, const struct path_lane *lane)
{
    for (uint32_t a = lane->to; a-- > lane->from;)
        if (!(w->flags[a] & (ACTIVITY_GAP | ACTIVITY_WAIT)) || lane->device || lane->launches)
            return a;
    return GRAPH_NONE;
}

static uint32_t ended_last_of(const struct path_work *w, const struct path_lane *lane)
{
    uint32_t last = last_of(w, lane);
    for (uint32_t a = lane->from; lane->device && a < lane->to; a++) /* work may overlap */
        if (w->t1[a] > w->t1[last])
            last = a;
    return last;
}

/* Lanes where the path may end: threads that feed devices, and their work; else all. */
static bool find_ends(struct path_work *w)
{
    bool any = false;
    for (size_t e = 0; e < w->nedges; e++)
        if (w->edges[e].kind == CAUSE_LAUNCH && path_lane_of(w, w->edges[e].to)->device) {
            path_lane_of(w, w->edges[e].from)->launches = true;
            any = true;
        }
    for (uint32_t l = 0; l < w->nlanes; l++)
        any |= w->lanes[l].device && w->lanes[l].from < w->lanes[l].to;
    w->ends = path_take(w, w->nlanes, sizeof *w->ends);
    for (uint32_t l = 0; !w->no_memory && l < w->nlanes; l++) {
        struct path_lane *lane = &w->lanes[l];
        if (lane->from == lane->to || (any && !lane->device && !lane->launches))
            continue;
        uint32_t a = ended_last_of(w, lane);
        if (a != GRAPH_NONE)
            w->ends[w->nends++] = a;
    }
    return !w->no_memory;
}

bool path_find_order(struct path_work *w)
{
    if (!sort_all(w) || !find_peers(w) || !pack_edges(w) || !find_latency(w) || !find_ends(w))
        return false;
    free(w->edges);
    w->edges = NULL;
    w->why = path_take(w, w->n, sizeof *w->why);
    find_usual_pause(w);
    if (w->no_memory)
        return false;
    for (uint32_t a = 0; a < w->n && !watch_stops(a); a++) {
        find_why(w, a);
        set_pauses(w, a);
    }
    w->begin = w->n ? w->t0[w->order[0]] : 0;
    w->end = w->begin;
    for (uint32_t i = 0; i < w->nends; i++)
        w->end = w->t1[w->ends[i]] > w->end ? w->t1[w->ends[i]] : w->end;
    return !watch_given_up();
}
