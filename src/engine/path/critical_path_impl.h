/*
 * The events of a graph and the arcs between them. critical_path_prepare collects what the arcs
 * need; then the passes of critical_path.c walk them.
 */
#ifndef ROOFTOP_ENGINE_PATH_CRITICAL_PATH_IMPL_H
#define ROOFTOP_ENGINE_PATH_CRITICAL_PATH_IMPL_H

#include "engine/graph/busy.h"
#include "engine/path/critical_path.h"

/* Node v begins at event 2v and ends at event 2v + 1. */
typedef uint32_t event;
static inline event begin_of(uint32_t v)
{
    return 2 * v;
}
static inline event end_of(uint32_t v)
{
    return 2 * v + 1;
}

/* Most nodes are leaves, whose end depends only on their begin. So only the begins are stored, and
 * the ends of inner nodes: those with children, or that wait for others. */
struct inner {
    uint64_t *bits;   /* one for each node */
    uint32_t *before; /* number of set bits before each word of bits */
    uint32_t n;
};

struct path_work {
    const struct graph *g;
    uint32_t *first_edge, *edge; /* packed edges, by their source */
    struct inner inner;
    uint32_t *link; /* of each stored event, in turn: the number of arcs into it that are not walked
                     * yet; the event below it on the stack; the event before it in the order */
    uint64_t *done; /* a bit for each stored event: it is placed in the order */
    uint32_t last;  /* last event of the order; GRAPH_NONE if it is empty */
    uint64_t *early,
        *tail; /* ns of the longest way from a source to the event, from it to a sink */
    /* of the nodes whose end its begin waited for, the last; NULL: no such edges */
    uint32_t *ready;
    /* of the nodes whose end its end waited for, the last; NULL: no joins edges */
    uint32_t *joined;
    uint32_t *launcher; /* the call that launched it, if not its parent; NULL: no such edges */
    uint64_t *before, *after;             /* a bit for each node: it has a neighbour on that side */
    uint64_t *unknown;                    /* a bit for each node: its self time is unknown */
    bool any_unknown;                     /* such time exists; then rest and busy are set */
    uint64_t *rest;                       /* like tail, but unknown time counts in full */
    struct busy *busy;                    /* when devices were busy */
    const struct critical_change *change; /* NULL = as measured */
};

/* An edge's target and kind in one word, to touch less memory. */
enum { KIND_BITS = 3 };
_Static_assert(EDGE_KINDS <= 1 << KIND_BITS && GRAPH_MAX_NODES <= UINT32_MAX >> KIND_BITS,
               "an edge does not fit into 32 bits");
static inline uint32_t packed_edge(uint32_t to, uint8_t kind)
{
    return to << KIND_BITS | kind;
}
static inline uint32_t edge_target(uint32_t packed)
{
    return packed >> KIND_BITS;
}
static inline uint8_t edge_kind_of(uint32_t packed)
{
    return packed & ((1u << KIND_BITS) - 1);
}

static inline bool has_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static inline void set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline bool is_inner(const struct path_work *w, uint32_t v)
{
    return has_bit(w->inner.bits, v);
}

/* Counts bits with plain arithmetic. Not all target processors have an instruction for it; without
 * one the compiler would call a function. */
static inline uint32_t count_bits(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* The index of a stored event; all begins come before the ends. */
static inline uint32_t slot_of(const struct path_work *w, event e)
{
    uint32_t v = e / 2;
    if (!(e & 1))
        return v;
    uint64_t below = w->inner.bits[v / 64] & ((UINT64_C(1) << v % 64) - 1);
    return w->g->nnodes + w->inner.before[v / 64] + count_bits(below);
}

static inline bool is_done(const struct path_work *w, uint32_t slot)
{
    return has_bit(w->done, slot);
}

/* An arc: its target, its length in ns, and the node whose time that is. */
struct arc {
    event to;
    uint64_t measured;
    uint64_t time;  /* measured, with the change applied; set by pass() */
    uint32_t owner; /* the node whose time it is, or GRAPH_NONE */
    bool latency;   /* from the owner's launch to the begin of what it launched */
    bool inferred;  /* only the times suggest this arc */
    uint64_t call;  /* of a launch's latency: the part while the call still ran */
};
/* Inlined into each pass: calls through a pointer take half as long again. */
#define EACH static inline __attribute__((always_inline))
typedef void (*arc_fn)(struct path_work *w, event from, const struct arc *a, void *ctx);

static inline bool orders(uint8_t kind)
{
    return kind == EDGE_SEQUENCE || kind == EDGE_DEPENDS || kind == EDGE_TRANSFER ||
           kind == EDGE_INFERRED;
}

static inline bool binds(uint8_t kind)
{
    return orders(kind) || kind == EDGE_JOINS || kind == EDGE_LAUNCHES;
}

static inline uint64_t end_time(const struct graph *g, uint32_t v)
{
    if (g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
        return GRAPH_UNKNOWN;
    return g->start[v] + g->duration[v];
}

static inline bool inside(const struct graph *g, uint32_t v)
{
    return g->parent[v] != GRAPH_NONE && g->via[v] != EDGE_LAUNCHES;
}

/* When the node that `last` gives for v ended; 0 if there is none. */
static inline uint64_t last_end(const struct graph *g, const uint32_t *last, uint32_t v)
{
    return last && last[v] != GRAPH_NONE ? end_time(g, last[v]) : 0;
}

/* The parent's own work between `since` and the begin of v, without what it waited for. */
static inline uint64_t pause_before(const struct path_work *w, uint32_t v, uint64_t since)
{
    const struct graph *g = w->g;
    if (g->start[v] == GRAPH_UNKNOWN || since == GRAPH_UNKNOWN)
        return 0;
    uint64_t ready = last_end(g, w->ready, v);
    since = ready > since ? ready : since;
    uint64_t opened = g->start[g->parent[v]];
    if (opened != GRAPH_UNKNOWN && opened > since)
        since = opened; /* no work of a parent that had not begun */
    return g->start[v] > since ? g->start[v] - since : 0;
}

/* Whether v's parent is a thread, no matter whether v runs in it or was launched by it. */
static inline bool in_thread(const struct graph *g, uint32_t v)
{
    return g->parent[v] != GRAPH_NONE && g->kind[g->parent[v]] == NODE_THREAD;
}

static inline uint32_t launcher_of(const struct path_work *w, uint32_t v)
{
    return w->launcher ? w->launcher[v] : GRAPH_NONE;
}

/* The arc to v's begin from what ended, or launched v, at `since`. A queue does no work itself:
 * between its spans lies the latency of the launch, counted from when v waited for nothing else. */
static inline struct arc arc_to(const struct path_work *w, uint32_t v, uint64_t since)
{
    const struct graph *g = w->g;
    uint32_t l = launcher_of(w, v);
    struct arc a = {.to = begin_of(v), .owner = g->parent[v]};
    if (l != GRAPH_NONE) {
        uint64_t began = g->start[l];
        if (since != GRAPH_UNKNOWN && began != GRAPH_UNKNOWN && g->start[v] != GRAPH_UNKNOWN) {
            since = began > since ? began : since;
            uint64_t ready = last_end(g, w->ready, v);
            since = ready > since ? ready : since;
            a.measured = g->start[v] > since ? g->start[v] - since : 0;
            uint64_t end = end_time(g, l), call = end > since ? end - since : 0;
            a.call = end == GRAPH_UNKNOWN ? 0 : call < a.measured ? call : a.measured;
        }
        a.owner = l;
        a.latency = true;
    } else if ((inside(g, v) && g->kind[g->parent[v]] != NODE_QUEUE) || in_thread(g, v)) {
        a.measured = pause_before(w, v, since);
    }
    return a;
}

/* The own work of v between `since` and its end, without what it waited for. */
static inline uint64_t work_after(const struct path_work *w, uint32_t v, uint64_t since)
{
    uint64_t end = end_time(w->g, v);
    if (end == GRAPH_UNKNOWN || since == GRAPH_UNKNOWN)
        return 0;
    uint64_t joined = last_end(w->g, w->joined, v);
    since = joined > since ? joined : since;
    since = w->g->start[v] > since ? w->g->start[v] : since; /* it may have ended long before */
    return end > since ? end - since : 0;
}

static inline uint64_t hastened(uint64_t weight, double speed)
{
    double time = (double)weight / speed + 0.5;
    return time < (double)CRITICAL_MOST ? (uint64_t)time : CRITICAL_MOST;
}

/* The arc's time with the change applied to its owner's work. Of a launch only the call changes,
 * not the time from its end to the begin of what it launched. */
static inline uint64_t changed(const struct critical_change *c, const struct arc *a)
{
    double speed = a->owner == GRAPH_NONE ? 1 : c->speed[c->group[a->owner]];
    if (speed == 1)
        return a->measured;
    return a->latency ? a->measured - a->call + hastened(a->call, speed)
                      : hastened(a->measured, speed);
}

/* For how many ns of an arc's time devices were busy for the owner's program. */
static inline uint64_t critical_path_busy(const struct path_work *w, const struct arc *a)
{
    uint64_t end = a->to & 1 ? end_time(w->g, a->to / 2) : w->g->start[a->to / 2];
    return end == GRAPH_UNKNOWN || end < a->measured
               ? 0
               : busy_within(w->busy, a->owner, end - a->measured, end);
}

/* The weight of unknown time: `now` ns, of which `measured` was the length before a change and
 * `busy` the part of that in which devices were busy. */
static inline uint64_t critical_path_count(uint64_t now, uint64_t measured, uint64_t busy)
{
    if (now != measured)
        busy = (uint64_t)((double)busy * ((double)now / (double)measured));
    busy = busy < now ? busy : now;
    return now - busy / CRITICAL_UNKNOWN_BUSY - (now - busy) / CRITICAL_UNKNOWN_IDLE;
}

static inline bool is_unknown(const struct path_work *w, const struct arc *a)
{
    return a->measured && !a->latency && a->owner != GRAPH_NONE && has_bit(w->unknown, a->owner);
}

/* The weight of an arc when chains are compared; 0 only if the arc takes no time. */
static inline uint64_t weight_of(const struct path_work *w, const struct arc *a)
{
    return is_unknown(w, a) ? critical_path_count(a->time, a->measured, critical_path_busy(w, a))
                            : a->time;
}

EACH void pass(struct path_work *w, event from, struct arc *a, arc_fn fn, void *ctx)
{
    a->time = w->change ? changed(w->change, a) : a->measured;
    fn(w, from, a, ctx);
}

EACH void arcs_of_begin(struct path_work *w, uint32_t v, arc_fn fn, void *ctx)
{
    const struct graph *g = w->g;
    bool timed_children = false;
    for (uint32_t c = g->first_child[v]; c != GRAPH_NONE; c = g->next_sibling[c]) {
        struct arc a = {.to = begin_of(c), .owner = v};
        if (inside(g, c) && end_time(g, c) != GRAPH_UNKNOWN && g->start[v] != GRAPH_UNKNOWN) {
            timed_children = true;
            if (!has_bit(w->before, c))
                a.measured = pause_before(w, c, g->start[v]);
        }
        pass(w, begin_of(v), &a, fn, ctx);
    }
    /* If the times of its children are known, its own time is what lies between them. */
    if (w->launcher)
        for (uint32_t i = w->first_edge[v]; i < w->first_edge[v + 1]; i++)
            if (edge_kind_of(w->edge[i]) == EDGE_LAUNCHES) {
                struct arc a = arc_to(w, edge_target(w->edge[i]), g->start[v]);
                pass(w, begin_of(v), &a, fn, ctx);
            }
    struct arc own = {.to = end_of(v), .owner = v};
    if (!timed_children && g->duration[v] != GRAPH_UNKNOWN && !graph_is_context(g, v))
        own.measured = last_end(g, w->joined, v) ? work_after(w, v, g->start[v]) : g->duration[v];
    pass(w, begin_of(v), &own, fn, ctx);
}

EACH void arcs_of_end(struct path_work *w, uint32_t v, arc_fn fn, void *ctx)
{
    const struct graph *g = w->g;
    for (uint32_t i = w->first_edge[v]; i < w->first_edge[v + 1]; i++) {
        uint32_t to = edge_target(w->edge[i]);
        uint8_t kind = edge_kind_of(w->edge[i]);
        if (kind == EDGE_JOINS) {
            struct arc join = {
                .to = end_of(to), .measured = work_after(w, to, end_time(g, v)), .owner = to};
            pass(w, end_of(v), &join, fn, ctx);
            continue;
        }
        if (kind == EDGE_LAUNCHES)
            continue;
        struct arc a = arc_to(w, to, end_time(g, v));
        a.inferred = kind == EDGE_INFERRED;
        pass(w, end_of(v), &a, fn, ctx);
    }
    if (!inside(g, v))
        return;
    uint32_t p = g->parent[v];
    struct arc out = {.to = end_of(p), .owner = p};
    if (!has_bit(w->after, v))
        out.measured = work_after(w, p, end_time(g, v));
    pass(w, end_of(v), &out, fn, ctx);
}

/* In critical_facts.c. 0, or -ENOMEM or -ECANCELED with err; release w in any case. tails: also
 * allocate w->tail. */
int critical_path_prepare(struct path_work *w, bool tails, struct error *err);
void critical_path_release(struct path_work *w);

#endif
