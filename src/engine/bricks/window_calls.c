#include "engine/bricks/window_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "engine/bricks/syscall_lanes.h"

/* The program that the window is of; NULL: unknown. */
static const struct brick_program *find_program_of_window(const struct bricks *b)
{
    const struct brick_window *w = &b->window;
    uint32_t node = GRAPH_NONE;
    for (uint32_t i = 0; i < w->nspans && node == GRAPH_NONE; i++)
        node = w->spans[i].node;
    while (node != GRAPH_NONE && b->tree->parent[node] != GRAPH_NONE)
        node = b->tree->parent[node];
    for (uint32_t i = 0; i < b->nprograms; i++)
        if (b->programs[i].node == node)
            return &b->programs[i];
    return NULL;
}

/* The process's calls in the time of the window, cut to it. */
static struct syscall_recent *cut_calls_to_window(const struct brick_window *w, pid_t pid,
                                                  const struct syscall_recent *recent)
{
    const uint64_t end = w->start + w->wall;
    const size_t n = syscall_recent_count(recent);
    struct syscall_recent *out = syscall_recent_new(n * SYSCALL_RECENT_BYTES);
    for (size_t i = 0; i < n; i++) {
        struct syscall_event e = syscall_recent_at(recent, i);
        if (e.pid != pid || e.begin_ns >= end || e.end_ns <= w->start || e.end_ns < e.begin_ns)
            continue;
        e.begin_ns = e.begin_ns < w->start ? w->start : e.begin_ns;
        e.end_ns = e.end_ns > end ? end : e.end_ns;
        syscall_recent_add(out, &e);
    }
    return out;
}

/* A graph of the threads that made calls, in order of their numbers: the main thread is first. */
static struct graph *make_graph_of_callers(const struct syscall_recent *calls)
{
    struct graph *g = graph_new();
    const size_t n = syscall_recent_count(calls);
    int32_t *tids = xcalloc(n + 1, sizeof *tids);
    const uint32_t program =
        graph_add(g, NODE_PROGRAM, graph_intern(g, ""), GRAPH_NONE, EDGE_CONTAINS, 0, 0);
    for (size_t i = 0; i < n; i++)
        tids[i] = syscall_recent_at(calls, i).tid;
    qsort(tids, n, sizeof *tids, order_int32);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && tids[i] == tids[i - 1])
            continue;
        const uint32_t thread = graph_add(g, NODE_THREAD, graph_intern(g, ""), program,
                                          EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        graph_detail(g, thread)->thread.id = tids[i];
    }
    free(tids);
    return g;
}

static bool is_call_span(const struct graph *g, uint32_t node)
{
    const uint32_t up = g->parent[node];
    return up != GRAPH_NONE && (g->flags[up] & NODE_CALLS);
}

struct placed_span {
    struct brick_span span;
    uint32_t was; /* its index before; new ones come after all others */
};

static int compare_placed_spans(const void *a, const void *b)
{
    const struct placed_span *x = a, *y = b;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    if (x->span.depth != y->span.depth)
        return x->span.depth < y->span.depth ? -1 : 1;
    return x->was < y->was ? -1 : x->was > y->was;
}

/* Puts all spans in order of time; the steps of the path follow theirs. */
static void put_spans(struct brick_window *w, struct arena *memory, struct placed_span *all,
                      uint32_t n)
{
    uint32_t *now = xcalloc(n + 1u, sizeof *now);
    qsort(all, n, sizeof *all, compare_placed_spans);
    w->spans = arena_alloc(memory, (n + 1u) * sizeof *w->spans);
    w->nspans = n;
    for (uint32_t i = 0; i < n; i++) {
        w->spans[i] = all[i].span;
        now[all[i].was] = i;
    }
    for (uint32_t i = 0; i < w->nsteps; i++)
        w->steps[i] = now[w->steps[i]];
    free(now);
}

static void add_lanes(struct brick_window *w, struct arena *memory, const struct graph *g,
                      uint16_t *lane)
{
    uint32_t more = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        more += (g->flags[i] & NODE_CALLS) != 0;
    struct brick_lane *lanes = arena_alloc(memory, (w->nlanes + more + 1u) * sizeof *lanes);
    memcpy(lanes, w->lanes, w->nlanes * sizeof *lanes);
    w->lanes = lanes;
    for (uint32_t i = 0; i < g->nnodes && w->nlanes < UINT16_MAX - 1; i++)
        if (g->flags[i] & NODE_CALLS) {
            lane[i] = (uint16_t)w->nlanes;
            lanes[w->nlanes++].name =
                arena_printf(memory, "calls of %" PRId64, g->details[g->detail[i]].thread.id);
        }
}

/* node: of the tree, for the spans. */
static void add_call_spans(struct brick_window *w, struct arena *memory, const struct graph *g,
                           uint32_t node)
{
    struct placed_span *all = xcalloc(w->nspans + (size_t)g->nnodes + 1, sizeof *all);
    uint16_t *lane = xcalloc(g->nnodes + 1u, sizeof *lane);
    uint32_t n = 0;
    add_lanes(w, memory, g, lane);
    for (; n < w->nspans; n++)
        all[n] = (struct placed_span){w->spans[n], n};
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (is_call_span(g, i)) {
            all[n] = (struct placed_span){{.start = g->start[i] - w->start,
                                           .duration = g->duration[i],
                                           .slack = GRAPH_UNKNOWN,
                                           .name = arena_strdup(memory, graph_name(g, i)),
                                           .node = node,
                                           .lane = lane[g->parent[i]],
                                           .kind = NODE_RANGE},
                                          n};
            n++;
        }
    put_spans(w, memory, all, n);
    free(all);
    free(lane);
}

void bricks_window_calls(struct bricks *b, struct arena *memory,
                         const struct syscall_recent *recent, uint32_t most)
{
    const struct brick_program *p = find_program_of_window(b);
    if (!p || !recent || b->window.nspans == 0)
        return;
    struct syscall_recent *calls = cut_calls_to_window(&b->window, p->pid, recent);
    struct graph *g = make_graph_of_callers(calls);
    if (syscall_recent_count(calls) > 0) {
        syscall_lanes_add(g, calls, most);
        add_call_spans(&b->window, memory, g, p->node);
    }
    graph_unref(g);
    syscall_recent_free(calls);
}
