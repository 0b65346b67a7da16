#include "engine/bricks/span_syscalls.h"

#include <stdlib.h>

#include "base/ids.h"
#include "base/list.h"
#include "base/search.h"
#include "engine/bricks/call_tally.h"

struct open_span {
    int64_t tid;
    uint64_t start, end;
    uint32_t node;
    uint32_t outer; /* the last one before it that ends later; GRAPH_NONE */
    uint32_t far;   /* one further outwards, or itself where there is none */
    uint32_t depth; /* the number of steps outwards */
};

struct span_syscalls {
    struct open_span *spans; /* by thread, then start */
    uint32_t nspans, cap;
    struct ids threads, programs; /* nodes by number */
    struct call_tally tally;
};

static int64_t read_lane_number(const struct graph *g, uint32_t node)
{
    return g->detail[node] == GRAPH_NONE ? -1 : g->details[g->detail[node]].thread.id;
}

static int64_t find_thread_number(const struct graph *g, uint32_t node)
{
    while (node != GRAPH_NONE && g->kind[node] != NODE_THREAD)
        node = g->parent[node];
    return node == GRAPH_NONE ? -1 : read_lane_number(g, node);
}

/* Outer spans before inner ones. */
static int compare_open_spans(const void *a, const void *b)
{
    const struct open_span *x = a, *y = b;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The last span up to i that ends after ns. What is between a span and its outer one ends before
 * it, so `outer` misses none; `far` makes the way short, however deep the spans of a file lie. */
static uint32_t find_span_ending_after(const struct span_syscalls *c, uint32_t i, uint64_t ns)
{
    while (i != GRAPH_NONE && c->spans[i].end <= ns) {
        const struct open_span *s = &c->spans[i];
        i = s->far != i && c->spans[s->far].end <= ns ? s->far : s->outer;
    }
    return i;
}

/* Sets the way outwards of a span. `far` as in Myers: An applicative random-access stack,
 * Information Processing Letters 17 (1983): a way to any depth has O(log n) steps. */
static void find_outer(struct span_syscalls *c, uint32_t i)
{
    struct open_span *s = &c->spans[i];
    s->far = i;
    s->outer = GRAPH_NONE;
    if (i > 0 && c->spans[i - 1].tid == s->tid)
        s->outer = find_span_ending_after(c, i - 1, s->end);
    if (s->outer == GRAPH_NONE)
        return;
    const struct open_span *one = &c->spans[s->outer], *two = &c->spans[one->far],
                           *three = &c->spans[two->far];
    s->depth = one->depth + 1;
    s->far = one->depth - two->depth == two->depth - three->depth ? two->far : s->outer;
}

struct span_syscalls *span_syscalls_begin(void)
{
    return xcalloc(1, sizeof(struct span_syscalls));
}

void span_syscalls_put(struct span_syscalls *c, int64_t tid, uint64_t start, uint64_t end,
                       uint32_t node)
{
    LIST_ROOM(c->spans, c->nspans, c->cap);
    c->spans[c->nspans++] =
        (struct open_span){.tid = tid, .start = start, .end = end, .node = node};
}

static void add_node_for_calls(struct span_syscalls *c, const struct graph *g, uint32_t i)
{
    const int64_t number = g->kind[i] == NODE_THREAD || g->kind[i] == NODE_PROGRAM
                               ? read_lane_number(g, i)
                               : find_thread_number(g, i);
    if (number < 0 || g->kind[i] == NODE_QUEUE)
        return;
    if (g->kind[i] == NODE_THREAD) {
        ids_add(&c->threads, (uint64_t)number, i);
    } else if (g->kind[i] == NODE_PROGRAM) {
        ids_add(&c->programs, (uint64_t)number, i);
    } else if (!(g->flags[i] & NODE_DEVICE_TIME) && g->start[i] != GRAPH_UNKNOWN &&
               g->duration[i] != GRAPH_UNKNOWN) {
        span_syscalls_put(c, number, g->start[i], g->start[i] + g->duration[i], i);
    }
}

struct span_syscalls *span_syscalls_new(const struct graph *calls)
{
    struct span_syscalls *c = span_syscalls_begin();
    for (uint32_t i = 0; i < calls->nnodes; i++)
        add_node_for_calls(c, calls, i);
    span_syscalls_ready(c);
    return c;
}

void span_syscalls_ready(struct span_syscalls *c)
{
    if (c->nspans)
        qsort(c->spans, c->nspans, sizeof *c->spans, compare_open_spans);
    for (uint32_t i = 0; i < c->nspans; i++)
        find_outer(c, i);
}

/* The innermost span that the thread had open; NULL: none. */
static const struct open_span *find_span_of_call(const struct span_syscalls *c, int64_t tid,
                                                 uint64_t ns)
{
    uint32_t low = 0; /* the first span that is behind */
    SEARCH_FIRST(low, c->nspans,
                 c->spans[low].tid < tid ||
                     (c->spans[low].tid == tid && c->spans[low].start <= ns));
    const uint32_t at =
        low && c->spans[low - 1].tid == tid ? find_span_ending_after(c, low - 1, ns) : GRAPH_NONE;
    return at == GRAPH_NONE ? NULL : &c->spans[at];
}

uint32_t span_syscalls_find(const struct span_syscalls *c, const struct syscall_event *e,
                            uint64_t *end_ns)
{
    const bool timed = !(e->flags & SYSCALL_NO_TIMES) && e->end_ns >= e->begin_ns;
    const struct open_span *s = timed ? find_span_of_call(c, e->tid, e->begin_ns) : NULL;
    if (s)
        *end_ns = s->end;
    return s ? s->node : GRAPH_NONE;
}

/* The node of a call that is in no span. */
static uint32_t find_lane_of_call(const struct span_syscalls *c, const struct syscall_event *e)
{
    const uint32_t thread = ids_get(&c->threads, (uint64_t)(int64_t)e->tid);
    return thread != IDS_NONE ? thread : ids_get(&c->programs, (uint64_t)(int64_t)e->pid);
}

void span_syscalls_add(struct span_syscalls *c, const struct syscall_event *e)
{
    uint64_t end = 0;
    if (e->kind != SYSCALL_CALL)
        return;
    const uint32_t span = span_syscalls_find(c, e, &end);
    call_tally_event(&c->tally, e, span, end, find_lane_of_call(c, e));
}

/* place: NULL, the node itself. */
static uint32_t map_span_node(const void *place, uint32_t node)
{
    return place ? ((const uint32_t *)place)[node] : node;
}

struct graph_syscalls *span_syscalls_sums(const struct span_syscalls *c, const struct graph *g,
                                          const uint32_t *place)
{
    return call_tally_sums(&c->tally, g, map_span_node, place);
}

void span_syscalls_free(struct span_syscalls *c)
{
    if (!c)
        return;
    free(c->spans);
    call_tally_free(&c->tally);
    ids_free(&c->threads);
    ids_free(&c->programs);
    free(c);
}
