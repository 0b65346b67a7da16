#include "engine/path/critical_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/path/path_work.h"

static const char SEARCH[] = "the critical path";

void critical_path_end(struct path_work *w)
{
    if (!w)
        return;
    void *all[] = {w->waits, w->lanes, w->lane_of, w->act_of, w->t0,    w->t1,   w->node,
                   w->flags, w->edges, w->cuts,    w->order,  w->first, w->from, w->kind,
                   w->pause, w->peer,  w->latency, w->ends,   w->why,   w->new0, w->new1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(w);
}

static int fail_path_search(const struct path_work *w, struct error *err)
{
    int rc = watch_check(SEARCH, err);
    if (rc == 0)
        rc = error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it", SEARCH,
                       "no memory for %u nodes", w->g->nnodes);
    return rc;
}

static bool prepare_path_work(struct path_work *w)
{
    bool ok = path_find_activities(w) && path_find_causes(w) && path_find_hands(w);
    free(w->act_of);
    w->act_of = NULL;
    return ok && path_find_order(w);
}

/* The least slack of a node's activities, and of what is inside it. */
static bool find_slack(struct path_work *w, int64_t end, struct critical_path *out)
{
    const struct graph *g = w->g;
    int64_t *tail = path_take(w, w->n, sizeof *tail);
    out->slack = path_take(w, g->nnodes, sizeof *out->slack);
    if (w->no_memory) {
        free(tail);
        return false;
    }
    memset(out->slack, 0xff, g->nnodes * sizeof *out->slack);
    path_find_slack(w, end, tail);
    for (uint32_t a = 0; a < w->n; a++) {
        uint64_t *s = &out->slack[w->node[a]];
        if (!(w->flags[a] & (ACTIVITY_ELASTIC | ACTIVITY_GAP)) && (uint64_t)tail[a] < *s)
            *s = (uint64_t)tail[a];
    }
    for (uint32_t v = g->nnodes; v-- > 0;) {
        uint32_t up = g->parent[v];
        bool inside =
            up != GRAPH_NONE && (g->via[v] != EDGE_LAUNCHES || g->kind[up] == NODE_PROGRAM ||
                                 g->kind[up] == NODE_THREAD || g->kind[up] == NODE_QUEUE);
        if (inside && out->slack[v] < out->slack[up])
            out->slack[up] = out->slack[v];
    }
    free(tail);
    return true;
}

/* The part of the host's steps in which a device was busy. */
static uint64_t beside_devices(const struct path_work *w, const struct critical_path *p)
{
    uint64_t sum = 0;
    int64_t from = INT64_MIN, to = INT64_MIN; /* the stretch that is known to be busy */
    uint32_t i = 0;
    for (uint32_t s = 0; s < p->nsteps; s++) {
        int64_t begin = w->begin + (int64_t)p->steps[s].start;
        int64_t end = begin + (int64_t)p->steps[s].length;
        if (i == w->n && to <= begin)
            break;
        bool host = p->steps[s].part == PATH_HOST || p->steps[s].part == PATH_UNKNOWN;
        for (int64_t at = begin; at < end;) {
            if (to > at) {
                int64_t low = from > at ? from : at;
                int64_t high = to < end ? to : end;
                sum += host && high > low ? (uint64_t)(high - low) : 0;
                at = high > at ? high : at;
                if (to > end)
                    break;
            }
            while (i < w->n && !(w->flags[w->order[i]] & ACTIVITY_DEVICE))
                i++;
            if (i == w->n || w->t0[w->order[i]] >= end)
                break;
            uint32_t a = w->order[i++];
            from = w->t0[a] > to ? w->t0[a] : to;
            to = w->t1[a] > to ? w->t1[a] : to;
        }
    }
    return sum;
}

/* The groups that a part of the path belongs to: bits of enum path_gain. */
static unsigned gains_of(enum path_part part)
{
    static const uint8_t bits[PATH_PARTS] = {
        [PATH_COMPUTE] = 1 << GAIN_DEVICE,
        [PATH_COPY] = 1 << GAIN_COPY,
        [PATH_COMMUNICATION] = 1 << GAIN_DEVICE | 1 << GAIN_COMMUNICATION,
        [PATH_HOST] = 1 << GAIN_HOST,
        [PATH_UNKNOWN] = 1 << GAIN_HOST,
    };
    return bits[part];
}

/* Finds what twice the speed of each kind would save at least, so that a label promises no more. */
static bool find_gains(struct path_work *w, struct critical_path *out)
{
    struct critical_change change = {.speed[0] = 1};
    uint8_t *group = path_take(w, w->g->nnodes, 1);
    unsigned any = 0;
    bool computes = false; /* a device does more than communicate */
    for (uint32_t a = 0; group && a < w->n; a++) {
        unsigned bits = gains_of(path_part_of(w, a));
        group[w->node[a]] |= (uint8_t)bits;
        any |= bits;
        computes |= bits == 1U << GAIN_DEVICE;
    }
    change.group = group;
    w->surely = true;
    for (int k = 0; group && k < PATH_GAINS; k++) {
        if (k == GAIN_COMMUNICATION && !computes) {
            out->gain[k] = out->gain[GAIN_DEVICE];
            continue;
        }
        for (unsigned bits = 0; bits < 256; bits++)
            change.speed[bits] = bits >> k & 1 ? 2 : 1;
        int64_t now = any >> k & 1 ? path_schedule(w, &change, false) : w->end;
        out->gain[k] = now < w->end ? (uint64_t)(w->end - now) : 0;
    }
    w->surely = false;
    free(group);
    free(w->new0), free(w->new1);
    w->new0 = w->new1 = NULL;
    return !w->no_memory && !watch_given_up();
}

int critical_path_begin(const struct graph *g, struct path_work **out, struct error *err)
{
    struct path_work *w = xcalloc(1, sizeof *w);
    w->g = g;
    *out = w;
    return prepare_path_work(w) ? 0 : fail_path_search(w, err);
}

static int search_path(struct path_work *w, const struct critical_change *change,
                       struct critical_path *out, struct error *err)
{
    *out = (struct critical_path){0};
    bool ok = change || find_gains(w, out);
    if (ok) { /* the steps last: they take much memory, and the rest is free by then */
        int64_t end = path_schedule(w, change, true);
        ok = !w->no_memory && find_slack(w, end, out) && path_walk(w, end, out);
        out->host_busy = ok && !change ? beside_devices(w, out) : 0;
    }
    out->begin = w->base + (uint64_t)w->begin;
    out->moved = (uint64_t)w->moved;
    if (ok && !watch_given_up())
        return 0;
    critical_path_free(out);
    return fail_path_search(w, err);
}

int critical_path_search(struct path_work *w, struct critical_path *out, struct error *err)
{
    return search_path(w, NULL, out, err);
}

int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err)
{
    struct path_work *w;
    *out = (struct critical_path){0};
    int rc = critical_path_begin(g, &w, err);
    if (rc == 0)
        rc = search_path(w, change, out, err);
    critical_path_end(w);
    return rc;
}

int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err)
{
    return critical_path_changed(g, NULL, out, err);
}

int critical_path_lengths(struct path_work *w, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err)
{
    for (size_t k = 0; k < n; k++) {
        lengths[k] = (uint64_t)(path_schedule(w, &changes[k], false) - w->begin);
        if (w->no_memory || watch_given_up())
            return fail_path_search(w, err);
    }
    return 0;
}

void critical_path_free(struct critical_path *p)
{
    free(p->steps);
    free(p->slack);
    *p = (struct critical_path){0};
}
