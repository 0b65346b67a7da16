#include "engine/critical_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

/* Node v begins at event 2v and ends at event 2v + 1. */
typedef uint32_t event;
static event begin_of(uint32_t v)
{
    return 2 * v;
}
static event end_of(uint32_t v)
{
    return 2 * v + 1;
}

enum { HAS_BEFORE = 1, HAS_AFTER = 2 }; /* neighbours in sequence under the same parent */

struct work {
    const struct graph *g;
    uint32_t *first_edge, *edge; /* edges by where they leave from */
    uint32_t *waits;             /* arcs into an event that are not walked yet */
    event *order;
    uint32_t norder;
    uint64_t *early, *tail; /* longest way from a source to the event, from it to a sink; ns */
    uint64_t *ready;  /* when the last thing a node waited for had ended; NULL = no depends edges */
    uint64_t *joined; /* when the last thing its end waited for had ended; NULL = no joins edges */
    uint32_t *launcher; /* the call that launched a node beside its parent; NULL = no such edges */
    uint8_t *neighbours;
    const struct critical_change *change; /* NULL = as measured */
};

/* An arc: where to, how long, and whose time that is. */
struct arc {
    event to;
    uint64_t weight;
    uint32_t owner; /* node; GRAPH_NONE: nobody's */
    bool latency;   /* from the owner's launch to what it launched */
    uint64_t call;  /* of a launch's weight, what passed while its call still ran */
    bool inferred;  /* nothing but the times say so */
};
/* Unrolled into each of the passes: called through a pointer they take half as long again. */
#define EACH static inline __attribute__((always_inline))
typedef void (*arc_fn)(struct work *w, event from, const struct arc *a, void *ctx);

static bool orders(uint8_t kind)
{
    return kind == EDGE_SEQUENCE || kind == EDGE_DEPENDS || kind == EDGE_TRANSFER ||
           kind == EDGE_INFERRED;
}

static bool binds(uint8_t kind)
{
    return orders(kind) || kind == EDGE_JOINS || kind == EDGE_LAUNCHES;
}

static uint64_t end_time(const struct graph *g, uint32_t v)
{
    if (g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
        return GRAPH_UNKNOWN;
    return g->start[v] + g->duration[v];
}

static bool inside(const struct graph *g, uint32_t v)
{
    return g->parent[v] != GRAPH_NONE && g->via[v] != EDGE_LAUNCHES;
}

/* The pause of a parent before node v may begin, since a moment: what it did itself, not what it
 * waited for. */
static inline uint64_t pause_before(const struct work *w, uint32_t v, uint64_t since)
{
    const struct graph *g = w->g;
    if (g->start[v] == GRAPH_UNKNOWN || since == GRAPH_UNKNOWN)
        return 0;
    if (w->ready && w->ready[v] > since)
        since = w->ready[v];
    uint64_t opened = g->start[g->parent[v]];
    if (opened != GRAPH_UNKNOWN && opened > since)
        since = opened; /* no work of a parent that had not begun */
    return g->start[v] > since ? g->start[v] - since : 0;
}

static uint32_t launcher_of(const struct work *w, uint32_t v)
{
    return w->launcher ? w->launcher[v] : GRAPH_NONE;
}

/* The arc to v's begin of what ended, or launched it, at a moment. A device's queue does nothing
 * itself: between its spans lies what the launch took from when nothing else was waited for. */
static inline struct arc arc_to(const struct work *w, uint32_t v, uint64_t since)
{
    const struct graph *g = w->g;
    uint32_t l = launcher_of(w, v);
    struct arc a = {.to = begin_of(v), .owner = g->parent[v]};
    if (l != GRAPH_NONE) {
        uint64_t began = g->start[l];
        if (since != GRAPH_UNKNOWN && began != GRAPH_UNKNOWN && g->start[v] != GRAPH_UNKNOWN) {
            since = began > since ? began : since;
            since = w->ready && w->ready[v] > since ? w->ready[v] : since;
            a.weight = g->start[v] > since ? g->start[v] - since : 0;
            uint64_t end = end_time(g, l), call = end > since ? end - since : 0;
            a.call = end == GRAPH_UNKNOWN ? 0 : call < a.weight ? call : a.weight;
        }
        a.owner = l;
        a.latency = true;
    } else if (inside(g, v) && g->kind[g->parent[v]] != NODE_QUEUE) {
        a.weight = pause_before(w, v, since); /* outside of all spans nobody says what it was */
    }
    return a;
}

/* What node v did itself between a moment and its end, not what it waited for. */
static inline uint64_t work_after(const struct work *w, uint32_t v, uint64_t since)
{
    uint64_t end = end_time(w->g, v);
    if (end == GRAPH_UNKNOWN || since == GRAPH_UNKNOWN)
        return 0;
    if (w->joined && w->joined[v] > since)
        since = w->joined[v];
    if (w->g->start[v] > since)
        since = w->g->start[v]; /* what it waits for may have ended long before */
    return end > since ? end - since : 0;
}

static inline uint64_t hastened(uint64_t weight, double speed)
{
    double time = (double)weight / speed + 0.5;
    return time < (double)CRITICAL_MOST ? (uint64_t)time : CRITICAL_MOST;
}

/* What its owner does takes as long as the change says; of a launch that is the call, not what
 * passes between its end and what it launched. */
static inline void hasten(const struct critical_change *c, struct arc *a)
{
    double speed = a->owner == GRAPH_NONE ? 1 : c->speed[c->group[a->owner]];
    if (speed == 1)
        return;
    if (a->latency)
        a->weight = a->weight - a->call + hastened(a->call, speed);
    else
        a->weight = hastened(a->weight, speed);
}

EACH void pass(struct work *w, event from, struct arc *a, arc_fn fn, void *ctx)
{
    if (w->change)
        hasten(w->change, a);
    fn(w, from, a, ctx);
}

EACH void arcs_of_begin(struct work *w, uint32_t v, arc_fn fn, void *ctx)
{
    const struct graph *g = w->g;
    bool timed_children = false;
    for (uint32_t c = g->first_child[v]; c != GRAPH_NONE; c = g->next_sibling[c]) {
        struct arc a = {.to = begin_of(c), .owner = v};
        if (inside(g, c) && end_time(g, c) != GRAPH_UNKNOWN && g->start[v] != GRAPH_UNKNOWN) {
            timed_children = true;
            if (!(w->neighbours[c] & HAS_BEFORE))
                a.weight = pause_before(w, c, g->start[v]);
        }
        pass(w, begin_of(v), &a, fn, ctx);
    }
    /* With children whose times are known its own time is what lies between them. */
    if (w->launcher)
        for (uint32_t i = w->first_edge[v]; i < w->first_edge[v + 1]; i++)
            if (g->edge_kind[w->edge[i]] == EDGE_LAUNCHES) {
                struct arc a = arc_to(w, g->edge_to[w->edge[i]], g->start[v]);
                pass(w, begin_of(v), &a, fn, ctx);
            }
    struct arc own = {.to = end_of(v), .owner = v};
    if (!timed_children && g->duration[v] != GRAPH_UNKNOWN)
        own.weight = w->joined && w->joined[v] ? work_after(w, v, g->start[v]) : g->duration[v];
    pass(w, begin_of(v), &own, fn, ctx);
}

EACH void arcs_of_end(struct work *w, uint32_t v, arc_fn fn, void *ctx)
{
    const struct graph *g = w->g;
    for (uint32_t i = w->first_edge[v]; i < w->first_edge[v + 1]; i++) {
        uint32_t to = g->edge_to[w->edge[i]];
        if (g->edge_kind[w->edge[i]] == EDGE_JOINS) {
            struct arc join = {
                .to = end_of(to), .weight = work_after(w, to, end_time(g, v)), .owner = to};
            pass(w, end_of(v), &join, fn, ctx);
            continue;
        }
        if (g->edge_kind[w->edge[i]] == EDGE_LAUNCHES)
            continue;
        struct arc a = arc_to(w, to, end_time(g, v));
        a.inferred = g->edge_kind[w->edge[i]] == EDGE_INFERRED;
        pass(w, end_of(v), &a, fn, ctx);
    }
    if (!inside(g, v))
        return;
    uint32_t p = g->parent[v];
    struct arc out = {.to = end_of(p), .owner = p};
    if (!(w->neighbours[v] & HAS_AFTER))
        out.weight = work_after(w, p, end_time(g, v));
    pass(w, end_of(v), &out, fn, ctx);
}

EACH void arcs(struct work *w, event e, arc_fn fn, void *ctx)
{
    if (e & 1)
        arcs_of_end(w, e / 2, fn, ctx);
    else
        arcs_of_begin(w, e / 2, fn, ctx);
}

/* --- what the arcs need to know --- */

static void sort_edges(struct work *w)
{
    const struct graph *g = w->g;
    uint32_t *begin = w->first_edge;
    for (uint32_t i = 0; i < g->nedges; i++)
        if (binds(g->edge_kind[i]))
            begin[g->edge_from[i]]++;
    uint32_t sum = 0;
    for (uint32_t v = 0; v < g->nnodes; v++)
        begin[v] = sum += begin[v]; /* where those of v end; filled from there down */
    begin[g->nnodes] = sum;
    for (uint32_t i = g->nedges; i-- > 0;)
        if (binds(g->edge_kind[i]))
            w->edge[--begin[g->edge_from[i]]] = i;
}

static void find_joins(struct work *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t to = g->edge_to[i];
        uint64_t end = end_time(g, g->edge_from[i]), its = end_time(g, to);
        if (g->edge_kind[i] != EDGE_JOINS || end == GRAPH_UNKNOWN || its == GRAPH_UNKNOWN)
            continue;
        if (!w->joined)
            w->joined = xcalloc(g->nnodes, sizeof *w->joined);
        if (end <= its && end > w->joined[to]) /* else two clocks, that differ */
            w->joined[to] = end;
    }
}

/* Edges of launches: from calls to what is not below them. */
static void find_launchers(struct work *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nedges; i++) {
        if (g->edge_kind[i] != EDGE_LAUNCHES)
            continue;
        if (!w->launcher) {
            w->launcher = xcalloc(g->nnodes, sizeof *w->launcher);
            memset(w->launcher, 0xff, g->nnodes * sizeof *w->launcher);
        }
        w->launcher[g->edge_to[i]] = g->edge_from[i];
    }
}

static void find_neighbours(struct work *w)
{
    const struct graph *g = w->g;
    bool waits = false;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t a = g->edge_from[i], b = g->edge_to[i];
        waits |= binds(g->edge_kind[i]) && g->edge_kind[i] != EDGE_SEQUENCE &&
                 g->edge_kind[i] != EDGE_JOINS; /* a launch takes no time while the queue is busy */
        if (g->edge_kind[i] == EDGE_SEQUENCE && g->parent[a] == g->parent[b]) {
            w->neighbours[a] |= HAS_AFTER;
            w->neighbours[b] |= HAS_BEFORE;
        }
    }
    if (!waits) /* then what a node waited for is the one before it */
        return;
    w->ready = xcalloc(g->nnodes, sizeof *w->ready);
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint64_t end = end_time(g, g->edge_from[i]), *ready = &w->ready[g->edge_to[i]];
        if (orders(g->edge_kind[i]) && end != GRAPH_UNKNOWN && end <= g->start[g->edge_to[i]] &&
            end > *ready)
            *ready = end;
    }
}

/* --- order, forward, backward --- */

static void count_wait(struct work *w, event from, const struct arc *a, void *ctx)
{
    (void)from;
    (void)ctx;
    w->waits[a->to]++;
}

/* Grows down from the end of order, which grows up: an event is in one of them at most. */
struct stack {
    event *top;
};

static void go_forward(struct work *w, event from, const struct arc *a, void *ctx)
{
    struct stack *s = ctx;
    uint64_t t = w->early[from] + a->weight;
    if (t > w->early[a->to])
        w->early[a->to] = t;
    if (--w->waits[a->to] == 0)
        *--s->top = a->to;
}

/* Kahn's order, the last found first: neighbours in the graph stay neighbours in memory. */
static void forward(struct work *w)
{
    uint32_t n = w->g->nnodes;
    event *bottom = w->order + 2 * (size_t)n;
    struct stack s = {bottom};
    for (event e = 0; e < 2 * n; e++)
        arcs(w, e, count_wait, NULL);
    for (event e = 2 * n; e-- > 0;)
        if (w->waits[e] == 0)
            *--s.top = e;
    while (s.top < bottom) {
        event e = *s.top++;
        w->order[w->norder++] = e;
        arcs(w, e, go_forward, &s);
    }
}

static void go_backward(struct work *w, event from, const struct arc *a, void *ctx)
{
    (void)ctx;
    if (w->waits[a->to] == 0 && a->weight + w->tail[a->to] > w->tail[from])
        w->tail[from] = a->weight + w->tail[a->to];
}

static void backward(struct work *w)
{
    for (uint32_t i = w->norder; i-- > 0;)
        arcs(w, w->order[i], go_backward, NULL);
}

/* --- the path itself --- */

struct choice {
    struct arc arc;
    bool found;
};

/* By what is seen of a node: the order of rows in a file decides as good as nothing. */
static int node_order(const struct graph *g, uint32_t a, uint32_t b)
{
    if (g->start[a] != g->start[b])
        return g->start[a] < g->start[b] ? -1 : 1;
    if (g->kind[a] != g->kind[b])
        return g->kind[a] < g->kind[b] ? -1 : 1;
    if (g->duration[a] != g->duration[b])
        return g->duration[a] > g->duration[b] ? -1 : 1;
    int c = g->name[a] == g->name[b] ? 0 : strcmp(graph_name(g, a), graph_name(g, b));
    return c ? c : (a > b) - (a < b);
}

static bool comes_before(const struct graph *g, event a, event b)
{
    if ((a & 1) != (b & 1))
        return !(a & 1);
    int c = node_order(g, a / 2, b / 2);
    return a & 1 ? c > 0 : c < 0;
}

/* Of equals: children come before a node's own time, what follows it before its parent's end, what
 * begins earlier before what begins later. */
static void choose(struct work *w, event from, const struct arc *a, void *ctx)
{
    struct choice *c = ctx;
    if (w->waits[a->to] == 0 && a->weight + w->tail[a->to] == w->tail[from] &&
        (!c->found || comes_before(w->g, a->to, c->arc.to)))
        *c = (struct choice){*a, true};
}

static void add_step(struct critical_path *p, uint32_t *cap, const struct arc *a, uint64_t start,
                     bool inferred)
{
    struct critical_step *last = p->nsteps ? &p->steps[p->nsteps - 1] : NULL;
    if (last && last->node == a->owner && last->latency == a->latency && !inferred) {
        last->length += a->weight;
        return;
    }
    if (!p->steps || p->nsteps == *cap) {
        *cap = *cap ? *cap * 2 : 64;
        p->steps = xrealloc(p->steps, *cap, sizeof *p->steps);
    }
    p->steps[p->nsteps++] =
        (struct critical_step){a->owner, start, a->weight, a->latency, inferred};
}

static void walk(struct work *w, struct critical_path *out)
{
    event at = 0;
    uint32_t cap = 0;
    bool any = false, inferred = false;
    for (event e = 0; e < 2 * w->g->nnodes; e++)
        if (w->waits[e] == 0 && w->early[e] == 0 &&
            (!any || w->tail[e] > w->tail[at] ||
             (w->tail[e] == w->tail[at] && comes_before(w->g, e, at)))) {
            at = e;
            any = true;
        }
    out->length = any ? w->tail[at] : 0;
    while (any) {
        struct choice c = {.found = false};
        arcs(w, at, choose, &c);
        if (!c.found)
            break;
        bool leaf = !(at & 1) && c.arc.to == end_of(at / 2);
        inferred |= c.arc.inferred;
        if ((c.arc.weight > 0 || leaf) && c.arc.owner != GRAPH_NONE) {
            add_step(out, &cap, &c.arc, w->early[at], inferred);
            inferred &= c.arc.latency; /* the launch's and what it launched: both are told */
        }
        at = c.arc.to;
    }
}

/* In place: what is written for v lies before all that is read for those after it. */
static void find_slack(struct work *w, struct critical_path *out)
{
    out->slack = w->early;
    w->early = NULL;
    out->first_cyclic = GRAPH_NONE;
    for (uint32_t v = 0; v < w->g->nnodes; v++) {
        event b = begin_of(v);
        if (w->waits[b] != 0 || w->waits[end_of(v)] != 0) {
            out->slack[v] = GRAPH_UNKNOWN;
            out->ncyclic++;
            if (out->first_cyclic == GRAPH_NONE)
                out->first_cyclic = v;
        } else {
            out->slack[v] = out->length - out->slack[b] - w->tail[b];
        }
    }
}

/* n zeroed things. Gigabytes for large graphs, every page touched once: large pages save most of
 * what the kernel would do for small ones. Where it has none, nothing is lost. */
static void *large(size_t n, size_t size)
{
    enum { PAGE = 2 << 20 };
    char *p = calloc(n, size);
    uintptr_t skip = p ? (PAGE - (uintptr_t)p % PAGE) % PAGE : 0;
    if (p && n * size >= skip + PAGE)
        madvise(p + skip, (n * size - skip) / PAGE * PAGE, MADV_HUGEPAGE);
    return p;
}

static void release(struct work *w)
{
    void *own[] = {w->first_edge, w->edge,  w->waits,  w->order,      w->early,
                   w->tail,       w->ready, w->joined, w->neighbours, w->launcher};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
}

/* With the order and the earliest times under w->change. */
static int prepare(struct work *w, bool tails, struct error *err)
{
    size_t n = w->g->nnodes;
    w->first_edge = large(n + 2, sizeof *w->first_edge);
    w->edge = large(w->g->nedges + 1u, sizeof *w->edge);
    w->waits = large(2 * n + 1, sizeof *w->waits);
    w->order = large(2 * n + 1, sizeof *w->order);
    w->early = large(2 * n + 1, sizeof *w->early);
    w->tail = tails ? large(2 * n + 1, sizeof *w->tail) : NULL;
    w->neighbours = large(n + 1, sizeof *w->neighbours);
    if (!w->first_edge || !w->edge || !w->waits || !w->order || !w->early || !w->neighbours ||
        (tails && !w->tail))
        return error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it",
                         "find the critical path", "no memory for %zu nodes", n);
    sort_edges(w);
    find_neighbours(w);
    find_joins(w);
    find_launchers(w);
    forward(w);
    return 0;
}

int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err)
{
    *out = (struct critical_path){.first_cyclic = GRAPH_NONE};
    struct work w = {.g = g, .change = change};
    int rc = prepare(&w, true, err);
    if (rc == 0) {
        backward(&w);
        walk(&w, out);
        find_slack(&w, out);
        out->slack = xrealloc(out->slack, g->nnodes + (size_t)1, sizeof *out->slack);
    }
    release(&w);
    return rc;
}

int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err)
{
    return critical_path_changed(g, NULL, out, err);
}

static void go_again(struct work *w, event from, const struct arc *a, void *ctx)
{
    (void)ctx;
    if (w->early[from] + a->weight > w->early[a->to])
        w->early[a->to] = w->early[from] + a->weight;
}

/* The longest way ends where the latest event is. */
static uint64_t latest(const struct work *w)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < w->norder; i++)
        most = w->early[w->order[i]] > most ? w->early[w->order[i]] : most;
    return most;
}

int critical_path_lengths(const struct graph *g, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err)
{
    struct work w = {.g = g};
    int rc = prepare(&w, false, err);
    for (size_t k = 0; rc == 0 && k < n; k++) {
        w.change = &changes[k];
        memset(w.early, 0, 2 * (size_t)g->nnodes * sizeof *w.early);
        for (uint32_t i = 0; i < w.norder; i++)
            arcs(&w, w.order[i], go_again, NULL);
        lengths[k] = latest(&w);
    }
    release(&w);
    return rc;
}

void critical_path_free(struct critical_path *p)
{
    free(p->steps);
    free(p->slack);
    *p = (struct critical_path){.first_cyclic = GRAPH_NONE};
}
