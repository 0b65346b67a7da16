#include "engine/graph_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/histogram.h"

enum { HISTOGRAMS_MAX = 8192, CHAIN_MAX = 4096 };
#define IN_PROGRESS (GRAPH_NONE - 1)

struct slot { /* of the table of places */
    uint64_t key;
    uint32_t node; /* of sums */
};

struct summing {
    struct graph *sums;
    const struct graph *calls;
    uint32_t from, to;
    uint32_t *place;    /* of each call, in sums */
    uint32_t *launcher; /* of each call; GRAPH_NONE: none */
    uint32_t *name;     /* of calls, in sums */
    struct slot *slots;
    size_t mask, used;
    uint32_t first; /* new places of sums begin here */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* What else tells places apart that have one name: a launch's shape, a thread's number. */
static uint64_t shape(const struct graph *c, uint32_t node)
{
    if (c->detail[node] == GRAPH_NONE)
        return 0;
    const struct graph_detail *d = &c->details[c->detail[node]];
    uint64_t h = 1;
    switch (c->kind[node]) {
    case NODE_KERNEL:
        for (int i = 0; i < 3; i++)
            h = mix(mix(h, d->kernel.grid[i]), d->kernel.block[i]);
        return mix(mix(h, d->kernel.shared_bytes), d->kernel.hash);
    case NODE_TRANSFER:
        return mix(mix(mix(h, d->transfer.direction), d->transfer.from), d->transfer.to);
    case NODE_PROGRAM:
    case NODE_THREAD:
    case NODE_QUEUE:
        return mix(h, (uint64_t)d->thread.id);
    default:
        return 0;
    }
}

static bool is_lane(uint8_t kind)
{
    return kind == NODE_THREAD || kind == NODE_QUEUE || kind == NODE_PROGRAM;
}

static uint32_t name_of(struct summing *s, uint32_t name)
{
    if (name == GRAPH_NONE)
        return GRAPH_NONE;
    if (s->name[name] == GRAPH_NONE)
        s->name[name] = graph_intern(s->sums, graph_text(s->calls, name));
    return s->name[name];
}

static void describe(struct summing *s, uint32_t place, uint32_t call)
{
    const struct graph *c = s->calls;
    s->sums->category[place] = c->category[call];
    s->sums->flags[place] = c->flags[call];
    if (c->detail[call] == GRAPH_NONE)
        return;
    struct graph_detail d = c->details[c->detail[call]];
    if (c->kind[call] == NODE_TRANSFER) {
        d.transfer.from = name_of(s, d.transfer.from);
        d.transfer.to = name_of(s, d.transfer.to);
        d.transfer.bytes = 0;
    } else if (c->kind[call] == NODE_FUNCTION) {
        d.function.file = name_of(s, d.function.file);
    } else if (c->kind[call] == NODE_BACKEND) {
        d.backend.how = name_of(s, d.backend.how);
    } else if (c->kind[call] == NODE_BRICK) {
        return; /* of one call */
    }
    *graph_detail(s->sums, place) = d;
}

static void grow(struct summing *s)
{
    size_t size = s->slots ? 2 * (s->mask + 1) : 1024, old = s->slots ? s->mask + 1 : 0;
    struct slot *now = xcalloc(size, sizeof *now);
    for (size_t i = 0; i < size; i++)
        now[i].node = GRAPH_NONE;
    for (size_t i = 0; i < old; i++) {
        size_t at = s->slots[i].key & (size - 1);
        while (s->slots[i].node != GRAPH_NONE && now[at].node != GRAPH_NONE)
            at = (at + 1) & (size - 1);
        if (s->slots[i].node != GRAPH_NONE)
            now[at] = s->slots[i];
    }
    free(s->slots);
    s->slots = now;
    s->mask = size - 1;
}

/* Two of one key are told apart by what they are: the key is a hash. */
static bool is_same(const struct summing *s, uint32_t place, uint32_t parent, uint32_t call,
                    uint32_t name)
{
    const struct graph *g = s->sums;
    return g->parent[place] == parent && g->kind[place] == s->calls->kind[call] &&
           g->name[place] == name;
}

static uint32_t find_place(struct summing *s, uint32_t call, uint32_t parent, enum edge_kind via)
{
    uint32_t name = name_of(s, s->calls->name[call]);
    uint64_t key = mix(mix(mix(mix(7, parent), s->calls->kind[call]), name), shape(s->calls, call));
    if (2 * (s->used + 1) > s->mask)
        grow(s);
    size_t at = key & s->mask;
    while (s->slots[at].node != GRAPH_NONE) {
        if (s->slots[at].key == key && is_same(s, s->slots[at].node, parent, call, name))
            return s->slots[at].node;
        at = (at + 1) & s->mask;
    }
    uint32_t place = graph_add(s->sums, (enum node_kind)s->calls->kind[call], name, parent, via,
                               GRAPH_UNKNOWN, 0);
    if (place == GRAPH_NONE)
        return place;
    s->slots[at] = (struct slot){key, place};
    s->used++;
    describe(s, place, call);
    return place;
}

static uint32_t above(const struct summing *s, uint32_t call)
{
    uint32_t l = s->launcher[call - s->from];
    return l != GRAPH_NONE ? l : s->calls->parent[call];
}

/* Its ancestors first. Broken files may say that something launched itself: then it is a root. */
static uint32_t place_of(struct summing *s, uint32_t call)
{
    uint32_t chain[CHAIN_MAX], n = 0;
    for (uint32_t at = call; at != GRAPH_NONE && at >= s->from && at < s->to &&
                             s->place[at - s->from] == GRAPH_NONE && n < CHAIN_MAX;
         at = above(s, at)) {
        s->place[at - s->from] = IN_PROGRESS;
        chain[n++] = at;
    }
    while (n > 0) {
        uint32_t at = chain[--n], up = above(s, at), parent = GRAPH_NONE;
        if (up != GRAPH_NONE && up >= s->from && up < s->to)
            parent = s->place[up - s->from];
        parent = parent == IN_PROGRESS ? GRAPH_NONE : parent;
        bool launched = s->launcher[at - s->from] != GRAPH_NONE || is_lane(s->calls->kind[at]);
        s->place[at - s->from] =
            find_place(s, at, parent, launched ? EDGE_LAUNCHES : (enum edge_kind)s->calls->via[at]);
    }
    return s->place[call - s->from];
}

static void count(struct summing *s, uint32_t place, uint32_t call)
{
    const struct graph *c = s->calls;
    struct graph *g = s->sums;
    uint64_t ns = c->duration[call];
    bool is_new = g->work[place] == GRAPH_NONE;
    struct graph_work *w = graph_work(g, place);
    if (is_new) {
        *w = (struct graph_work){
            .min = GRAPH_UNKNOWN, .max = GRAPH_UNKNOWN, .histogram = GRAPH_NONE};
        if (g->nhistograms < HISTOGRAMS_MAX)
            w->histogram = graph_add_histogram(g, xcalloc(1, sizeof(struct histogram)));
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
    if (c->detail[call] == GRAPH_NONE)
        return;
    const struct graph_detail *d = &c->details[c->detail[call]];
    if (c->kind[call] == NODE_TRANSFER) {
        w->bytes += d->transfer.bytes;
        graph_detail(g, place)->transfer.bytes += d->transfer.bytes;
    } else if (c->kind[call] == NODE_BRICK) {
        w->elements += d->brick.elements;
    }
}

/* Of what runs in it directly, wherever that stands in the sums. */
static void sum_lanes(struct summing *s)
{
    const struct graph *c = s->calls;
    struct graph *g = s->sums;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t lane = c->parent[i];
        if (lane == GRAPH_NONE || lane < s->from || !is_lane(c->kind[lane]) ||
            is_lane(c->kind[i]) || c->duration[i] == GRAPH_UNKNOWN ||
            s->place[lane - s->from] == GRAPH_NONE)
            continue;
        g->duration[s->place[lane - s->from]] += c->duration[i];
    }
    for (uint32_t p = g->nnodes; p-- > s->first;)
        if (is_lane(g->kind[p]) && g->parent[p] != GRAPH_NONE)
            g->duration[g->parent[p]] += g->duration[p];
}

static uint32_t *none(size_t n)
{
    uint32_t *list = xcalloc(n + 1, sizeof *list);
    memset(list, 0xff, n * sizeof *list);
    return list;
}

void graph_sum(struct graph *sums, const struct graph *calls, uint32_t from, uint32_t to,
               uint32_t *place)
{
    struct summing s = {
        .sums = sums, .calls = calls, .from = from, .to = to, .first = sums->nnodes};
    s.place = none(to - from);
    s.launcher = none(to - from);
    s.name = none(calls->nnames);
    grow(&s);
    for (uint32_t e = 0; e < calls->nedges; e++) {
        uint32_t a = calls->edge_from[e], b = calls->edge_to[e];
        bool device = b >= from && b < to &&
                      (calls->kind[b] == NODE_KERNEL || calls->kind[b] == NODE_TRANSFER);
        if (calls->edge_kind[e] == EDGE_LAUNCHES && device && a >= from && a < to &&
            s.launcher[b - from] == GRAPH_NONE)
            s.launcher[b - from] = a;
    }
    for (uint32_t i = from; i < to; i++) {
        uint32_t at = place_of(&s, i);
        if (at != GRAPH_NONE && at != IN_PROGRESS && !is_lane(calls->kind[i]))
            count(&s, at, i);
    }
    sum_lanes(&s);
    if (place)
        memcpy(place, s.place, (to - from) * sizeof *place);
    free(s.place);
    free(s.launcher);
    free(s.name);
    free(s.slots);
}
