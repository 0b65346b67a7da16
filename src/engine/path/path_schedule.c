/* Schedules all activities again in their order, walks back over what came last, and finds slack.
 */
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/path/path_work.h"

/* --- schedule --- */

static int64_t hasten_duration(int64_t ns, double speed)
{
    double time = (double)ns / speed + 0.5;
    if (ns <= 0)
        return ns;
    return time < (double)CRITICAL_MOST ? (int64_t)time : (int64_t)CRITICAL_MOST;
}

/* The length of an activity. A wait for an unnamed thing keeps its length. */
static int64_t find_activity_length(const struct path_work *w, uint32_t a, double speed)
{
    if (w->flags[a] & ACTIVITY_ELASTIC)
        return 0;
    int64_t ns = w->t1[a] - w->t0[a];
    if (w->surely && w->flags[a] & ACTIVITY_DEVICE && path_is_collective(w, a) &&
        (!w->peer || w->peer[a] == GRAPH_NONE))
        return ns;
    return speed == 1 || (w->flags[a] & ACTIVITY_WAIT) ? ns : hasten_duration(ns, speed);
}

/* The pause in the lane before an activity: the shortest seen if another cause came last. */
static inline int64_t lane_pause(const struct path_work *w, uint32_t a)
{
    int64_t measured = w->t0[a] - w->t1[a - 1];
    int64_t usual = w->flags[a] & ACTIVITY_DEVICE ? w->usual : 0;
    return w->why[a] == 1 || measured < usual ? measured : usual;
}

/* The time at which its causes let an activity begin, and the cause that came last; if several did,
 * the measured one. */
static inline int64_t find_begin_and_cause(const struct path_work *w, uint32_t a, uint32_t *cause)
{
    bool lane = !(w->flags[a] & ACTIVITY_FIRST);
    int64_t last = INT64_MIN, why = INT64_MIN;
    *cause = 0;
    if (lane) {
        last = w->n1[a - 1] + lane_pause(w, a);
        *cause = 1;
        why = w->why[a] == 1 ? last : why;
    }
    for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++) {
        int64_t at = w->n1[w->from[e]] + w->pause[e];
        if (at > last) {
            last = at;
            *cause = 2 + e;
        }
        why = w->why[a] == 2 + e ? at : why;
    }
    if (why == last)
        *cause = w->why[a];
    return last == INT64_MIN ? w->t0[a] : last;
}

static double find_speed(const struct path_work *w, const struct critical_change *change,
                         uint32_t a)
{
    return change->speed[change->group[w->node[a]]];
}

/* All members of a collective end after the last one begins, each as long after it as measured.
 * Until then n1 is when each would have ended alone. */
static void end_together(struct path_work *w, uint32_t last, const struct critical_change *change)
{
    const double speed = find_speed(w, change, last);
    int64_t begin = INT64_MIN;
    uint32_t p = last;
    do {
        const int64_t own = w->n1[p] - find_activity_length(w, p, find_speed(w, change, p));
        begin = own > begin ? own : begin;
        p = w->peer[p];
    } while (p != last);
    do {
        w->n1[p] = begin + hasten_duration(w->t1[p] - w->t0[last], speed);
        p = w->peer[p];
    } while (p != last);
}

/* Asks for what is needed of an activity that comes soon: neighbours in time are far apart in
 * memory. */
static inline void fetch_activity(const struct path_work *w, uint32_t a)
{
    __builtin_prefetch(&w->t0[a]);
    __builtin_prefetch(&w->t1[a]);
    __builtin_prefetch(&w->n1[a]);
    __builtin_prefetch(&w->node[a]);
    __builtin_prefetch(&w->flags[a]);
    __builtin_prefetch(&w->why[a]);
    __builtin_prefetch(&w->first[a]);
}

int64_t path_schedule(struct path_work *w, const struct critical_change *change, bool begins)
{
    enum { AHEAD = 12 };
    int64_t end = w->begin;
    if (!change) { /* the schedule gives the measured times back (tests/engine/path) */
        w->n0 = w->t0;
        w->n1 = w->t1;
        return w->end;
    }
    if (begins && !w->new0)
        w->new0 = path_take(w, w->n, sizeof *w->new0);
    if (!w->new1)
        w->new1 = path_take(w, w->n, sizeof *w->new1);
    w->n0 = begins ? w->new0 : NULL;
    w->n1 = w->new1;
    for (uint32_t i = 0; !w->no_memory && i < w->n && !watch_stops(i); i++) {
        uint32_t a = w->order[i], cause;
        if (i + AHEAD < w->n)
            fetch_activity(w, w->order[i + AHEAD]);
        int64_t begin = find_begin_and_cause(w, a, &cause);
        int64_t length = find_activity_length(w, a, find_speed(w, change, a)),
                most = (int64_t)CRITICAL_MOST - length;
        begin = begin < most ? begin : most;
        w->n1[a] = begin + length;
        if (begins)
            w->n0[a] = begin;
        if (w->flags[a] & ACTIVITY_MET)
            end_together(w, a, change);
    }
    for (uint32_t i = 0; !w->no_memory && i < w->nends; i++)
        end = w->n1[w->ends[i]] > end ? w->n1[w->ends[i]] : end;
    return end;
}

/* --- the walk back --- */

struct walk {
    struct path_work *w;
    struct critical_path *out;
    uint32_t cap;
    int64_t begin, at;
    uint8_t *met; /* of each activity: the walk came to its collective; NULL if there is none */
};

/* Adds the step from a time to the current position. Adjacent steps of one node are merged. */
static bool add_step(struct walk *k, uint32_t node, enum path_part part, int64_t from)
{
    struct critical_path *p = k->out;
    from = from > k->begin ? from : k->begin;
    if (from >= k->at)
        return true;
    struct critical_step *later = p->nsteps ? &p->steps[p->nsteps - 1] : NULL;
    if (later && later->node == node && later->part == part && !later->inferred) {
        later->start = (uint64_t)(from - k->begin);
        later->length += (uint64_t)(k->at - from);
        k->at = from;
        return true;
    }
    if (!p->steps || p->nsteps == k->cap) {
        uint32_t cap = k->cap ? 2 * k->cap : 64;
        struct critical_step *more = realloc(p->steps, cap * sizeof *more);
        k->w->no_memory |= !more;
        if (!more)
            return false;
        p->steps = more;
        k->cap = cap;
    }
    p->steps[p->nsteps++] = (struct critical_step){.node = node,
                                                   .part = (uint8_t)part,
                                                   .latency = part == PATH_LATENCY,
                                                   .start = (uint64_t)(from - k->begin),
                                                   .length = (uint64_t)(k->at - from)};
    k->at = from;
    return true;
}

enum path_part path_part_of(const struct path_work *w, uint32_t a)
{
    const struct graph *g = w->g;
    uint32_t v = w->node[a];
    if (w->flags[a] & (ACTIVITY_ELASTIC | ACTIVITY_WAIT))
        return PATH_WAIT;
    if (path_is_collective(w, a))
        return PATH_COMMUNICATION;
    if ((w->flags[a] & ACTIVITY_GAP) || graph_is_unknown(g, v))
        return w->flags[a] & ACTIVITY_DEVICE ? PATH_WAIT : PATH_UNKNOWN;
    if (w->flags[a] & ACTIVITY_CONTEXT)
        return PATH_UNKNOWN; /* it names where the thread was, but not what it did */
    if (g->kind[v] == NODE_TRANSFER)
        return PATH_COPY;
    return g->kind[v] == NODE_KERNEL || (g->flags[v] & NODE_DEVICE_TIME) ? PATH_COMPUTE : PATH_HOST;
}

/* The call that launched a work; GRAPH_NONE: unknown. */
static uint32_t launcher_of(const struct path_work *w, uint32_t a)
{
    for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++)
        if (w->kind[e] == CAUSE_LAUNCH)
            return w->node[w->from[e]];
    return GRAPH_NONE;
}

/* From a launch's begin to its work: as long as a launch takes, and an unknown rest. */
static void step_over_launch(struct walk *k, uint32_t a, uint32_t call)
{
    const struct path_work *w = k->w;
    int64_t known = w->n0[call] + PATH_LATE_NS;
    known = w->n1[call] > known ? w->n1[call] : known;
    add_step(k, path_lane_of(w, a)->node, PATH_WAIT, known);
    add_step(k, w->node[call], PATH_LATENCY, w->n0[call]);
}

static void step_over_pause(struct walk *k, uint32_t a, int64_t since)
{
    const struct path_work *w = k->w;
    bool device = w->flags[a] & ACTIVITY_DEVICE;
    uint32_t launcher = device ? launcher_of(w, a) : GRAPH_NONE;
    if (launcher != GRAPH_NONE && k->at - since < PATH_LATE_NS)
        add_step(k, launcher, PATH_LATENCY, since);
    else
        add_step(k, device ? path_lane_of(w, a)->node : w->node[a], PATH_WAIT, since);
}

static uint32_t last_peer(const struct path_work *w, uint32_t a)
{
    uint32_t best = a;
    if (w->peer && w->peer[a] != GRAPH_NONE)
        for (uint32_t p = w->peer[a]; p != a; p = w->peer[p])
            best = w->n0[p] > w->n0[best] || (p < best && w->n0[p] == w->n0[best]) ? p : best;
    return best;
}

static uint32_t find_last_path_end(const struct path_work *w)
{
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = 0; i < w->nends; i++)
        if (best == GRAPH_NONE || w->n1[w->ends[i]] > w->n1[best])
            best = w->ends[i];
    return best;
}

/* A collective leads to the last of its members, once: if that one came after another member, the
 * walk would go in a circle. */
static uint32_t meet_last_peer(struct walk *k, uint32_t a)
{
    uint32_t last = k->met ? last_peer(k->w, a) : a;
    if (last == a || k->met[last])
        return a;
    k->met[last] = 1;
    return last;
}

static void walk_path_back(struct walk *k, uint32_t a)
{
    const struct path_work *w = k->w;
    struct critical_path *p = k->out;
    bool body = true;
    for (uint32_t i = 0; !w->no_memory && !watch_stops(i); i++) {
        if (body) {
            a = meet_last_peer(k, a);
            add_step(k, w->node[a], path_part_of(w, a), w->n0[a]);
        }
        uint32_t cause = w->why[a];
        if (w->n1 != w->t1) /* the speeds were changed */
            find_begin_and_cause(w, a, &cause);
        if (cause == 0 || k->at <= k->begin)
            break;
        uint32_t from = cause == 1 ? a - 1 : w->from[cause - 2];
        unsigned kind = cause == 1 ? CAUSE_LANE : w->kind[cause - 2];
        if (p->nsteps && (kind == CAUSE_INFERRED || kind == CAUSE_HAND_OVER))
            p->steps[p->nsteps - 1].inferred = true;
        body = kind != CAUSE_LAUNCH;
        if (kind == CAUSE_LAUNCH)
            step_over_launch(k, a, from);
        else
            step_over_pause(k, a, w->n1[from]);
        a = from;
    }
    add_step(k, path_lane_of(w, a)->node, PATH_WAIT, k->begin);
}

static void turn_round(struct critical_path *p)
{
    for (uint32_t i = 0, k = p->nsteps; i + 1 < k; i++) {
        struct critical_step swap = p->steps[i];
        p->steps[i] = p->steps[--k];
        p->steps[k] = swap;
    }
}

bool path_walk(struct path_work *w, int64_t end, struct critical_path *out)
{
    struct walk k = {.w = w, .out = out, .begin = w->begin, .at = end};
    uint32_t a = find_last_path_end(w);
    out->length = (uint64_t)(end - w->begin);
    k.met = w->peer ? path_take(w, w->n, 1) : NULL;
    if (a != GRAPH_NONE && !w->no_memory)
        walk_path_back(&k, a);
    free(k.met);
    turn_round(out);
    return !w->no_memory && !watch_given_up();
}

/* --- slack --- */

static void hold_tail_until(int64_t *tail, uint32_t a, int64_t latest)
{
    if (latest < tail[a])
        tail[a] = latest;
}

/* The last member of each activity's collective; the caller frees the list. NULL: there are no
 * collectives, or memory ran out. */
static uint32_t *find_last_peers(struct path_work *w)
{
    uint32_t *last = w->peer ? path_take(w, w->n, sizeof *last) : NULL;
    for (uint32_t a = 0; last && a < w->n; a++)
        if (w->flags[a] & ACTIVITY_MET) {
            uint32_t best = last_peer(w, a), p = a;
            do {
                last[p] = best;
                p = w->peer[p];
            } while (p != a);
        }
    return last;
}

/* How long the activity works. A member of a collective first waits, until the last member begins:
 * that is not its own time. last: what find_last_peers returned. */
static int64_t find_own_length(const struct path_work *w, const uint32_t *last, uint32_t a)
{
    bool met = last && w->peer[a] != GRAPH_NONE;
    return w->n1[a] - w->n0[met ? last[a] : a];
}

/* A member that comes later than all others holds up each of them, so all members get the latest
 * begin of the one that has the least time to spare. a: any member. */
static void hold_peers(const struct path_work *w, int64_t *tail, const uint32_t *last, uint32_t a)
{
    int64_t latest = INT64_MAX;
    uint32_t p = a;
    do {
        if (tail[p] != INT64_MAX && tail[p] - find_own_length(w, last, p) < latest)
            latest = tail[p] - find_own_length(w, last, p);
        p = w->peer[p];
    } while (p != a);
    if (latest == INT64_MAX)
        return;
    do {
        tail[p] = latest + find_own_length(w, last, p);
        p = w->peer[p];
    } while (p != a);
}

/* Walks backward over the same edges: the latest end of each activity. */
void path_find_slack(struct path_work *w, int64_t end, int64_t *tail)
{
    uint32_t *last = find_last_peers(w);
    for (uint32_t a = 0; a < w->n; a++)
        tail[a] = INT64_MAX;
    for (uint32_t i = 0; i < w->nends; i++)
        tail[w->ends[i]] = end;
    for (uint32_t i = w->n; i-- > 0 && !watch_stops(i);) {
        uint32_t a = w->order[i];
        bool elastic = w->flags[a] & ACTIVITY_ELASTIC, lane = !(w->flags[a] & ACTIVITY_FIRST);
        if (last && w->flags[a] & ACTIVITY_MET)
            hold_peers(w, tail, last, a);
        if (tail[a] == INT64_MAX)
            continue;
        int64_t begin = tail[a] - (elastic ? 0 : find_own_length(w, last, a));
        if (lane)
            hold_tail_until(tail, a - 1, begin - lane_pause(w, a));
        for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++)
            hold_tail_until(tail, w->from[e], begin - w->pause[e]);
    }
    for (uint32_t a = 0; a < w->n; a++) {
        int64_t latest = tail[a] < end ? tail[a] : end;
        int64_t own = find_own_length(w, last, a);
        tail[a] = latest - own - w->n0[a] > 0 ? latest - own - w->n0[a] : 0;
    }
    free(last);
}
