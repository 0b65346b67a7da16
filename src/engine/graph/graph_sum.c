#include "engine/graph/graph_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/watch.h"
#include "engine/value/histogram.h"

enum { HISTOGRAMS_MAX = 8192, CHAIN_MAX = 4096, KNOWN = 4096 };
#define IN_PROGRESS (GRAPH_NONE - 1)

/* A place that was looked up lately, so that similar calls find it at once. */
struct sum_key {
    uint32_t parent, name, detail, kind, place;
};

/* As sum_key, for the functions around a call. */
struct callers_key {
    uint32_t parent, callers, place;
};

struct graph_summing {
    struct graph *sums;
    const struct graph *calls;
    uint32_t from, to;
    uint32_t *place;     /* of each call, in sums */
    uint32_t *own_place; /* place, if the caller gave none; else NULL */
    uint32_t *launcher;  /* of each call, or GRAPH_NONE; NULL if nothing was launched */
    uint32_t *name;      /* number of a name in calls -> its number in sums */
    struct ids places;   /* hash of what distinguishes places -> place */
    struct sum_key known[KNOWN];
    struct callers_key known_callers[KNOWN];
    uint32_t first; /* index in sums of the first new place */
};

/* Hashes what distinguishes places of one name: a launch's shape, a thread's number. */
static uint64_t hash_call_shape(const struct graph *c, uint32_t node)
{
    if (c->detail[node] == GRAPH_NONE)
        return 0;
    const struct graph_detail *d = &c->details[c->detail[node]];
    uint64_t h = 1;
    switch (c->kind[node]) {
    case NODE_KERNEL:
        for (int i = 0; i < 3; i++)
            h = hash_number(hash_number(h, d->kernel.grid[i]), d->kernel.block[i]);
        return hash_number(hash_number(h, d->kernel.shared_bytes), d->kernel.hash);
    case NODE_TRANSFER:
        return hash_number(hash_number(hash_number(h, d->transfer.direction), d->transfer.from),
                           d->transfer.to);
    case NODE_PROGRAM:
    case NODE_THREAD:
    case NODE_QUEUE:
        return hash_number(h, (uint64_t)d->thread.id);
    default:
        return 0;
    }
}

static bool is_kind_of_lane(uint8_t kind)
{
    return kind == NODE_THREAD || kind == NODE_QUEUE || kind == NODE_PROGRAM;
}

static uint32_t sum_name(struct graph_summing *s, uint32_t name)
{
    if (name == GRAPH_NONE)
        return GRAPH_NONE;
    if (s->name[name] == GRAPH_NONE)
        s->name[name] = graph_intern(s->sums, graph_text(s->calls, name));
    return s->name[name];
}

static void describe_place(struct graph_summing *s, uint32_t place, uint32_t call)
{
    const struct graph *c = s->calls;
    s->sums->category[place] = c->category[call];
    s->sums->flags[place] = c->flags[call];
    if (c->detail[call] == GRAPH_NONE)
        return;
    struct graph_detail d = c->details[c->detail[call]];
    if (c->kind[call] == NODE_TRANSFER) {
        d.transfer.from = sum_name(s, d.transfer.from);
        d.transfer.to = sum_name(s, d.transfer.to);
        d.transfer.bytes = 0;
    } else if (c->kind[call] == NODE_FUNCTION) {
        d.function.file = sum_name(s, d.function.file);
        d.function.callers = 0; /* they are places above it */
    } else if (c->kind[call] == NODE_BACKEND) {
        d.backend.how = sum_name(s, d.backend.how);
    } else if (c->kind[call] == NODE_BRICK) {
        return; /* its detail belongs to that call only */
    }
    if (c->kind[call] == NODE_KERNEL)
        graph_set_kernel(s->sums, place, &d);
    else
        *graph_detail(s->sums, place) = d;
}

/* Whether a place is really the wanted one, because the key is only a hash. */
static bool is_wanted_sum(const struct graph_summing *s, uint32_t place, uint32_t parent,
                          uint32_t call, uint32_t name)
{
    const struct graph *g = s->sums;
    return g->parent[place] == parent && g->kind[place] == s->calls->kind[call] &&
           g->name[place] == name;
}

static uint32_t find_or_add_sum(struct graph_summing *s, uint32_t call, uint32_t parent,
                                uint32_t name, enum edge_kind via)
{
    uint64_t key =
        hash_number(hash_number(hash_number(hash_number(7, parent), s->calls->kind[call]), name),
                    hash_call_shape(s->calls, call));
    uint32_t place;
    while ((place = ids_get(&s->places, key)) != IDS_NONE &&
           !is_wanted_sum(s, place, parent, call, name))
        key++;
    if (place != IDS_NONE)
        return place;
    place = graph_add(s->sums, (enum node_kind)s->calls->kind[call], name, parent, via,
                      GRAPH_UNKNOWN, 0);
    if (place == GRAPH_NONE)
        return place;
    ids_add(&s->places, key, place);
    describe_place(s, place, call);
    return place;
}

static uint32_t recall_place(struct graph_summing *s, uint32_t call, uint32_t parent,
                             enum edge_kind via)
{
    const struct graph *c = s->calls;
    uint32_t name = sum_name(s, c->name[call]), detail = c->detail[call];
    uint64_t h = ids_mix((uint64_t)parent << 32 ^ (uint64_t)detail << 12 ^ name);
    struct sum_key *k = &s->known[h % KNOWN];
    if (k->place != GRAPH_NONE && k->parent == parent && k->name == name && k->detail == detail &&
        k->kind == c->kind[call])
        return k->place;
    *k = (struct sum_key){parent, name, detail, c->kind[call],
                          find_or_add_sum(s, call, parent, name, via)};
    return k->place;
}

static uint32_t count_caller_frames(const struct graph *c, uint32_t call)
{
    return c->kind[call] == NODE_FUNCTION && c->detail[call] != GRAPH_NONE
               ? c->details[c->detail[call]].function.callers
               : 0;
}

/* The place of a function below another place. */
static uint32_t caller_place(struct graph_summing *s, uint32_t parent, const char *text, size_t n)
{
    char own[1024];
    snprintf(own, sizeof own, "%.*s", (int)(n < sizeof own ? n : sizeof own - 1), text);
    const uint32_t name = graph_intern(s->sums, own);
    uint64_t key = hash_number(hash_number(8, parent), name);
    uint32_t place;
    const struct graph *g = s->sums;
    while (
        (place = ids_get(&s->places, key)) != IDS_NONE &&
        (g->parent[place] != parent || g->name[place] != name || g->kind[place] != NODE_FUNCTION))
        key++;
    if (place != IDS_NONE)
        return place;
    place = graph_add(s->sums, NODE_FUNCTION, name, parent, EDGE_CALLS, GRAPH_UNKNOWN, 0);
    if (place != GRAPH_NONE)
        ids_add(&s->places, key, place);
    return place;
}

/* The innermost of the functions around a call, below parent; parent where there are none. */
static uint32_t below_callers(struct graph_summing *s, uint32_t call, uint32_t parent)
{
    const uint32_t callers = count_caller_frames(s->calls, call);
    if (callers == 0)
        return parent;
    struct callers_key *k = &s->known_callers[hash_number(parent, callers) % KNOWN];
    if (k->place != GRAPH_NONE && k->parent == parent && k->callers == callers)
        return k->place;
    uint32_t place = parent;
    for (const char *at = graph_text(s->calls, callers - 1); *at && place != GRAPH_NONE;) {
        const size_t n = strcspn(at, "\n");
        place = caller_place(s, place, at, n);
        at += n + (at[n] == '\n');
    }
    if (place == GRAPH_NONE) /* the graph is full */
        return parent;
    *k = (struct callers_key){parent, callers, place};
    return place;
}

static uint32_t parent_or_launcher_of(const struct graph_summing *s, uint32_t call)
{
    uint32_t l = s->launcher ? s->launcher[call - s->from] : GRAPH_NONE;
    return l != GRAPH_NONE ? l : s->calls->parent[call];
}

/* The place of a call; its ancestors get theirs first. A broken file may say that a call launched
 * itself: then it becomes a root. */
static uint32_t find_sum_of_call(struct graph_summing *s, uint32_t call)
{
    uint32_t chain[CHAIN_MAX], n = 0;
    if (s->place[call - s->from] != GRAPH_NONE)
        return s->place[call - s->from];
    for (uint32_t at = call; at != GRAPH_NONE && at >= s->from && at < s->to &&
                             s->place[at - s->from] == GRAPH_NONE && n < CHAIN_MAX;
         at = parent_or_launcher_of(s, at)) {
        s->place[at - s->from] = IN_PROGRESS;
        chain[n++] = at;
    }
    while (n > 0) {
        uint32_t at = chain[--n], up = parent_or_launcher_of(s, at), parent = GRAPH_NONE;
        if (up != GRAPH_NONE && up >= s->from && up < s->to)
            parent = s->place[up - s->from];
        parent = parent == IN_PROGRESS ? GRAPH_NONE : parent;
        bool launched = (s->launcher && s->launcher[at - s->from] != GRAPH_NONE) ||
                        is_kind_of_lane(s->calls->kind[at]);
        enum edge_kind via = launched ? EDGE_LAUNCHES : (enum edge_kind)s->calls->via[at];
        s->place[at - s->from] = recall_place(s, at, below_callers(s, at, parent), via);
    }
    return s->place[call - s->from];
}

static void count_time(struct graph *g, uint32_t place, uint64_t ns)
{
    bool is_new = !graph_work_of(g, place);
    struct graph_work *w = graph_work(g, place);
    if (is_new) {
        *w = (struct graph_work){
            .min = GRAPH_UNKNOWN, .max = GRAPH_UNKNOWN, .histogram = GRAPH_NONE};
    } else if (w->count == 1 && g->nhistograms < HISTOGRAMS_MAX) { /* a single call needs none */
        struct histogram *h = xcalloc(1, sizeof *h);
        w->histogram = graph_add_histogram(g, h);
        if (w->min != GRAPH_UNKNOWN)
            histogram_count(h, w->min);
    }
    w->count++;
    if (ns != GRAPH_UNKNOWN) {
        w->total += ns;
        w->min = ns < w->min ? ns : w->min;
        w->max = w->max == GRAPH_UNKNOWN || ns > w->max ? ns : w->max;
        w->sum_squares += (double)ns * (double)ns;
        g->duration[place] += ns;
        if (w->histogram != GRAPH_NONE)
            histogram_count(g->histograms[w->histogram], ns);
    }
}

static void count_call_in_sum(struct graph_summing *s, uint32_t place, uint32_t call)
{
    const struct graph *c = s->calls;
    struct graph *g = s->sums;
    const uint64_t ns = c->duration[call];
    count_time(g, place, ns);
    const uint32_t parent = c->parent[call];
    const uint32_t lane = parent != GRAPH_NONE && parent >= s->from && parent < s->to
                              ? s->place[parent - s->from]
                              : GRAPH_NONE;
    for (uint32_t up = g->parent[place];
         count_caller_frames(c, call) && up != GRAPH_NONE && up != lane; up = g->parent[up])
        count_time(g, up, ns);
    if (c->detail[call] == GRAPH_NONE)
        return;
    const struct graph_detail *d = &c->details[c->detail[call]];
    if (c->kind[call] == NODE_TRANSFER) {
        uint64_t *sum = &graph_detail(g, place)->transfer.bytes;
        if (d->transfer.bytes != GRAPH_UNKNOWN)
            graph_extra(g, place)->bytes += d->transfer.bytes;
        /* a transfer of unknown size makes the sum unknown */
        if (*sum == GRAPH_UNKNOWN || d->transfer.bytes == GRAPH_UNKNOWN)
            *sum = GRAPH_UNKNOWN;
        else
            *sum += d->transfer.bytes;
    } else if (c->kind[call] == NODE_BRICK) {
        graph_extra(g, place)->elements += d->brick.elements;
    }
}

/* The time of a lane: the spans directly in it, wherever their places are in the sums. */
static void sum_lanes(struct graph_summing *s)
{
    const struct graph *c = s->calls;
    struct graph *g = s->sums;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t lane = c->parent[i];
        if (lane == GRAPH_NONE || lane < s->from || !is_kind_of_lane(c->kind[lane]) ||
            is_kind_of_lane(c->kind[i]) || graph_is_context(c, i) ||
            c->duration[i] == GRAPH_UNKNOWN || s->place[lane - s->from] == GRAPH_NONE)
            continue;
        g->duration[s->place[lane - s->from]] += c->duration[i];
    }
    for (uint32_t p = g->nnodes; p-- > s->first;)
        if (is_kind_of_lane(g->kind[p]) && g->parent[p] != GRAPH_NONE)
            g->duration[g->parent[p]] += g->duration[p];
}

static uint32_t *make_list_of_none(size_t n)
{
    uint32_t *list = xcalloc(n + 1, sizeof *list);
    memset(list, 0xff, n * sizeof *list);
    return list;
}

/* Finds the call that launched each device work; the first edge counts. */
static void find_launchers_of_works(struct graph_summing *s)
{
    const struct graph *c = s->calls;
    for (uint32_t e = 0; e < c->nedges; e++) {
        uint32_t a = c->edge_from[e], b = c->edge_to[e];
        if (c->edge_kind[e] != EDGE_LAUNCHES || b < s->from || b >= s->to || a < s->from ||
            a >= s->to || (c->kind[b] != NODE_KERNEL && c->kind[b] != NODE_TRANSFER))
            continue;
        if (!s->launcher)
            s->launcher = make_list_of_none(s->to - s->from);
        if (s->launcher[b - s->from] == GRAPH_NONE)
            s->launcher[b - s->from] = a;
    }
}

struct graph_summing *graph_sum_begin(struct graph *sums, const struct graph *calls, uint32_t from,
                                      uint32_t to, uint32_t *place)
{
    struct graph_summing *s = xcalloc(1, sizeof *s);
    *s = (struct graph_summing){
        .sums = sums, .calls = calls, .from = from, .to = to, .first = sums->nnodes};
    memset(s->known, 0xff, sizeof s->known);
    memset(s->known_callers, 0xff, sizeof s->known_callers);
    s->own_place = place ? NULL : make_list_of_none(to - from);
    s->place = place ? place : s->own_place;
    memset(s->place, 0xff, (to - from) * sizeof *s->place);
    s->name = make_list_of_none(calls->nnames);
    find_launchers_of_works(s);
    return s;
}

void graph_sum_run(struct graph_summing *s)
{
    for (uint32_t i = s->from; i < s->to && !watch_stops(i - s->from); i++) {
        uint32_t at = find_sum_of_call(s, i);
        if (at != GRAPH_NONE && at != IN_PROGRESS && !is_kind_of_lane(s->calls->kind[i]))
            count_call_in_sum(s, at, i);
    }
    sum_lanes(s);
    free(s->own_place);
    free(s->launcher);
    free(s->name);
    ids_free(&s->places);
    free(s);
}

void graph_sum(struct graph *sums, const struct graph *calls, uint32_t from, uint32_t to,
               uint32_t *place)
{
    graph_sum_run(graph_sum_begin(sums, calls, from, to, place));
}
