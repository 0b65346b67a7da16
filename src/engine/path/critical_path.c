#include "engine/path/critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/path/critical_path_impl.h"

#define SEARCH "find the critical path"

/* --- order, forward, backward --- */

/* Counts the arcs into each stored event, in the same way as arcs_of_begin and arcs_of_end. */
static void count_waits(struct path_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        w->link[v] += g->parent[v] != GRAPH_NONE;
        if (is_inner(w, v))
            w->link[slot_of(w, end_of(v))]++;
        if (inside(g, v))
            w->link[slot_of(w, end_of(g->parent[v]))]++;
    }
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge_kind[i] == EDGE_JOINS)
            w->link[slot_of(w, end_of(g->edge_to[i]))]++;
        else if (binds(g->edge_kind[i]))
            w->link[g->edge_to[i]]++;
}

struct walk_step {
    uint32_t top;  /* of the stack of events without unwalked arcs; GRAPH_NONE: empty */
    uint64_t now;  /* when the event is that the arcs leave from, */
    uint64_t leaf; /* and the end of its node, where that is not stored */
};

static void push_slot(struct path_work *w, struct walk_step *s, uint32_t slot)
{
    w->link[slot] = s->top;
    s->top = slot;
}

/* The event at the end of an arc comes after the arc's full time, also if that counts less when
 * chains are compared. The order does not depend on it. */
EACH void go_forward(struct path_work *w, event from, const struct arc *a, void *ctx)
{
    struct walk_step *s = ctx;
    uint64_t t = s->now + a->time;
    (void)from;
    w->any_unknown = w->any_unknown || is_unknown(w, a);
    if (a->to & 1 && !is_inner(w, a->to / 2)) {
        s->leaf = t;
        return;
    }
    uint32_t slot = slot_of(w, a->to);
    if (t > w->early[slot])
        w->early[slot] = t;
    if (--w->link[slot] == 0)
        push_slot(w, s, slot);
}

/* The node of each stored end. */
static uint32_t *inner_nodes(const struct path_work *w)
{
    uint32_t *list = xcalloc(w->inner.n + 1u, sizeof *list), n = 0;
    for (uint32_t v = 0; v < w->g->nnodes; v++)
        if (is_inner(w, v))
            list[n++] = v;
    return list;
}

/* Kahn's algorithm with a stack, so that neighbours in the graph stay neighbours in memory. It ends
 * early if the watch says stop, as the later passes do. */
static void forward(struct path_work *w, const uint32_t *inner)
{
    uint32_t n = w->g->nnodes;
    struct walk_step s = {.top = GRAPH_NONE};
    w->last = GRAPH_NONE;
    count_waits(w);
    if (watch_given_up())
        return;
    for (uint32_t v = n; v-- > 0;)
        if (w->link[v] == 0) /* only begins: an end always waits for its begin */
            push_slot(w, &s, v);
    for (uint64_t i = 0; s.top != GRAPH_NONE && !watch_stops(i); i++) {
        uint32_t e = s.top;
        s.top = w->link[e];
        w->link[e] = w->last;
        w->last = e;
        set_bit(w->done, e);
        s.now = w->early[e];
        if (e < n)
            arcs_of_begin(w, e, go_forward, &s);
        if (e < n && is_inner(w, e))
            continue;
        s.now = e < n ? s.leaf : s.now;
        arcs_of_end(w, e < n ? e : inner[e - n], go_forward, &s);
    }
}

/* The longest way from an event to a sink: as weighted, and with all time in full. */
struct way {
    uint64_t counts, full;
};

struct rest {
    struct way most; /* of the event that the arcs leave from */
    struct way leaf; /* of its node's end, where that is not stored */
};

/* Both are equal if no time is unknown or slack is not needed. */
static inline struct way way_from(const struct path_work *w, uint32_t slot)
{
    return (struct way){w->tail[slot], w->any_unknown && w->rest ? w->rest[slot] : 0};
}

static inline void keep_way(struct path_work *w, uint32_t slot, struct way way)
{
    w->tail[slot] = way.counts;
    if (w->any_unknown && w->rest)
        w->rest[slot] = way.full;
}

EACH void go_backward(struct path_work *w, event from, const struct arc *a, void *ctx)
{
    struct rest *r = ctx;
    struct way way = r->leaf;
    (void)from;
    if (!(a->to & 1) || is_inner(w, a->to / 2)) {
        uint32_t slot = slot_of(w, a->to);
        if (!is_done(w, slot))
            return;
        way = way_from(w, slot);
    }
    uint64_t counts = weight_of(w, a) + way.counts, full = a->time + way.full;
    r->most.counts = counts > r->most.counts ? counts : r->most.counts;
    r->most.full = full > r->most.full ? full : r->most.full;
}

static void backward(struct path_work *w, const uint32_t *inner)
{
    uint32_t n = w->g->nnodes;
    uint64_t i = 0;
    for (uint32_t e = w->last; e != GRAPH_NONE && !watch_stops(i++); e = w->link[e]) {
        struct rest r = {{0, 0}, {0, 0}};
        bool leaf = e < n && !is_inner(w, e);
        if (leaf || e >= n)
            arcs_of_end(w, leaf ? e : inner[e - n], go_backward, &r);
        if (leaf)
            r = (struct rest){.leaf = r.most};
        if (e < n)
            arcs_of_begin(w, e, go_backward, &r);
        keep_way(w, e, r.most);
    }
}

/* --- the path itself --- */

struct choice {
    uint64_t left; /* from the event that the arcs leave from to the path's end */
    struct arc arc;
    uint64_t weight; /* of it */
    bool found;
};

/* Compares visible properties of nodes, so that the order of rows in a file hardly matters. */
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

/* Among equal arcs it prefers children to a node's own time, then what follows the node to its
 * parent's end, then what begins earlier. */
EACH void choose(struct path_work *w, event from, const struct arc *a, void *ctx)
{
    struct choice *c = ctx;
    (void)from;
    uint64_t weight = weight_of(w, a);
    if (!(a->to & 1) || is_inner(w, a->to / 2)) {
        uint32_t slot = slot_of(w, a->to);
        if (!is_done(w, slot) || weight + w->tail[slot] != c->left ||
            (c->found && !comes_before(w->g, a->to, c->arc.to)))
            return;
    } else if (c->found) { /* a leaf prefers what it launched to its own end */
        return;
    }
    c->arc = *a;
    c->weight = weight;
    c->found = true;
}

static void add_step(struct critical_path *p, uint32_t *cap, const struct arc *a, uint64_t start,
                     bool inferred)
{
    struct critical_step *last = p->nsteps ? &p->steps[p->nsteps - 1] : NULL;
    if (last && last->node == a->owner && last->latency == a->latency && !inferred) {
        last->length += a->time;
        return;
    }
    LIST_ROOM(p->steps, p->nsteps, *cap);
    p->steps[p->nsteps++] = (struct critical_step){.node = a->owner,
                                                   .start = start,
                                                   .length = a->time,
                                                   .latency = a->latency,
                                                   .inferred = inferred};
}

/* The first source from which the way is longest. */
static uint32_t longest(const struct path_work *w)
{
    uint32_t at = GRAPH_NONE;
    for (uint32_t v = 0; v < w->g->nnodes; v++)
        if (is_done(w, v) && w->early[v] == 0 &&
            (at == GRAPH_NONE || w->tail[v] > w->tail[at] ||
             (w->tail[v] == w->tail[at] && comes_before(w->g, begin_of(v), begin_of(at)))))
            at = v;
    return at;
}

/* Chooses the arc that the path takes from an event; false if the path ends there. */
static bool go_on(struct path_work *w, event at, struct choice *c)
{
    c->found = false;
    if (at & 1)
        arcs_of_end(w, at / 2, choose, c);
    else
        arcs_of_begin(w, at / 2, choose, c);
    return c->found;
}

/* The part of a launch's latency that is a wait of the queue, at its end. Only latency that is much
 * too long has such a part: while the device was busy, the queue waited for something that the
 * profile does not show. */
static uint64_t waited(const struct path_work *w, const struct arc *a)
{
    uint32_t v = a->to / 2;
    uint64_t start = w->g->start[v];
    if (!a->latency || w->change || a->time <= EXECUTION_EXPLAINED_NS || start < a->time)
        return 0;
    return busy_within(w->busy, v, start - a->time, start);
}

static void add_latency(struct path_work *w, struct critical_path *out, uint32_t *cap,
                        const struct arc *a, bool inferred)
{
    struct arc wait = {.owner = w->g->parent[a->to / 2], .time = waited(w, a)}, launch = *a;
    launch.time -= wait.time;
    if (launch.time)
        add_step(out, cap, &launch, out->length, inferred);
    if (wait.time)
        add_step(out, cap, &wait, out->length + launch.time, inferred);
}

/* The ns of a host arc in which devices were busy. */
static uint64_t beside_devices(const struct path_work *w, const struct arc *a)
{
    const struct graph *g = w->g;
    uint32_t v = a->owner;
    if (!w->busy || a->latency || w->change)
        return 0;
    bool device = g->flags[v] & NODE_DEVICE_TIME || g->kind[v] == NODE_KERNEL ||
                  g->kind[v] == NODE_TRANSFER || g->kind[v] == NODE_QUEUE;
    uint64_t end = a->to & 1 ? end_time(g, a->to / 2) : g->start[a->to / 2];
    if (device || end == GRAPH_UNKNOWN || end < a->time)
        return 0;
    return busy_within(w->busy, v, end - a->time, end);
}

/* Fills steps and length. */
static void walk_path(struct path_work *w, uint32_t first, struct critical_path *out)
{
    uint32_t cap = 0;
    bool inferred = false;
    if (first == GRAPH_NONE)
        return;
    struct choice c = {.left = w->tail[first]};
    uint64_t i = 0;
    for (event at = begin_of(first); !watch_stops(i++) && go_on(w, at, &c); at = c.arc.to) {
        bool leaf = !(at & 1) && c.arc.to == end_of(at / 2);
        inferred |= c.arc.inferred;
        if ((c.arc.time > 0 || leaf) && c.arc.owner != GRAPH_NONE) {
            if (c.arc.latency)
                add_latency(w, out, &cap, &c.arc, inferred);
            else
                add_step(out, &cap, &c.arc, out->length, inferred);
            out->host_busy += beside_devices(w, &c.arc);
            inferred &= c.arc.latency; /* an inferred latency also marks the work behind it */
        }
        out->length += c.arc.time;
        c.left -= c.weight;
    }
}

/* --- slack --- */

/* Uses full time, because a delay moves all that was measured. Works in place: the slot written for
 * v lies before all slots read for later nodes. */
static void find_slack(struct path_work *w, struct critical_path *out)
{
    const uint64_t *tail = w->any_unknown ? w->rest : w->tail;
    uint64_t whole = 0;
    for (uint32_t v = 0; v < w->g->nnodes; v++)
        whole = is_done(w, v) && tail[v] > whole ? tail[v] : whole;
    out->slack = w->early;
    w->early = NULL;
    for (uint32_t v = 0; v < w->g->nnodes; v++) {
        if (!is_done(w, v) || (is_inner(w, v) && !is_done(w, slot_of(w, end_of(v))))) {
            out->slack[v] = GRAPH_UNKNOWN;
            out->ncyclic++;
            if (out->first_cyclic == GRAPH_NONE)
                out->first_cyclic = v;
        } else if (graph_is_context(w->g, v)) {
            out->slack[v] = GRAPH_UNKNOWN; /* nothing waits for it */
        } else {
            out->slack[v] = whole - out->slack[v] - tail[v];
        }
    }
    out->slack = xrealloc(out->slack, w->g->nnodes + (size_t)1, sizeof *out->slack);
}

/* The path itself has no slack, even if another chain is longer in full time. */
static void clear_slack(struct critical_path *out)
{
    for (uint32_t i = 0; i < out->nsteps; i++)
        if (!out->steps[i].latency && out->slack[out->steps[i].node] != GRAPH_UNKNOWN)
            out->slack[out->steps[i].node] = 0;
}

/* Frees memory that is no longer needed before the walk allocates the steps. */
static void find_both(struct path_work *w, struct critical_path *out)
{
    uint32_t first = longest(w);
    find_slack(w, out);
    free(w->link);
    free(w->rest);
    w->link = NULL;
    w->rest = NULL;
    walk_path(w, first, out);
    clear_slack(out);
    if (out->nsteps)
        out->steps = xrealloc(out->steps, out->nsteps, sizeof *out->steps);
}

int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err)
{
    *out = (struct critical_path){.first_cyclic = GRAPH_NONE};
    struct path_work w = {.g = g, .change = change};
    int rc = critical_path_prepare(&w, true, err);
    if (rc == 0) {
        uint32_t *inner = inner_nodes(&w);
        forward(&w, inner);
        backward(&w, inner);
        free(inner);
        rc = watch_check(SEARCH, err);
    }
    if (rc == 0) {
        find_both(&w, out);
        rc = watch_check(SEARCH, err);
    }
    critical_path_release(&w);
    return rc;
}

int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err)
{
    return critical_path_changed(g, NULL, out, err);
}

/* The length of the longest way, after the tails are known. */
static uint64_t length_of_longest(struct path_work *w)
{
    uint32_t first = GRAPH_NONE;
    uint64_t length = 0, i = 0;
    for (uint32_t v = 0; v < w->g->nnodes; v++)
        if (is_done(w, v) &&
            (first == GRAPH_NONE || w->tail[v] > w->tail[first] ||
             (w->tail[v] == w->tail[first] && comes_before(w->g, begin_of(v), begin_of(first)))))
            first = v;
    struct choice c = {.left = first == GRAPH_NONE ? 0 : w->tail[first]};
    for (event at = begin_of(first); first != GRAPH_NONE && !watch_stops(i++) && go_on(w, at, &c);
         at = c.arc.to) {
        length += c.arc.time;
        c.left -= c.weight;
    }
    return length;
}

/* The longest way is also the longest that is left anywhere: the order backward is enough. */
int critical_path_lengths(const struct graph *g, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err)
{
    struct path_work w = {.g = g};
    int rc = critical_path_prepare(&w, false, err);
    uint32_t *inner = NULL;
    if (rc == 0 && n > 0) {
        inner = inner_nodes(&w);
        forward(&w, inner);
        w.tail = w.early;
        w.early = NULL;
    }
    rc = rc == 0 ? watch_check(SEARCH, err) : rc;
    for (size_t k = 0; rc == 0 && k < n; k++) {
        w.change = &changes[k];
        backward(&w, inner);
        lengths[k] = length_of_longest(&w);
        rc = watch_check(SEARCH, err);
    }
    free(inner);
    critical_path_release(&w);
    return rc;
}

void critical_path_free(struct critical_path *p)
{
    free(p->steps);
    free(p->slack);
    *p = (struct critical_path){.first_cyclic = GRAPH_NONE};
}
