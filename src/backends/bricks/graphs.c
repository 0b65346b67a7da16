#include "backends/bricks/brick_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"
#include "engine/graph/graph_counters.h"

static const uint8_t kinds[BRICK_KINDS] = {
    [BRICK_KIND_BRICK] = NODE_BRICK,       [BRICK_KIND_LAYER] = NODE_LAYER,
    [BRICK_KIND_FUNCTION] = NODE_FUNCTION, [BRICK_KIND_KERNEL] = NODE_KERNEL,
    [BRICK_KIND_TRANSFER] = NODE_TRANSFER, [BRICK_KIND_TASK] = NODE_TASK,
    [BRICK_KIND_BACKEND] = NODE_BACKEND,
};

static uint32_t intern_brick_name(struct graph *g, const char *text)
{
    return *text ? graph_intern(g, text) : GRAPH_NONE;
}

static void describe_node(struct graph *g, uint32_t node, const struct brick_what *w)
{
    const struct brick_desc *d = &w->desc;
    g->category[node] = (uint8_t)d->category;
    switch (d->kind) {
    case BRICK_KIND_KERNEL: {
        struct graph_detail *k = graph_detail(g, node);
        k->kernel.hash = d->hash;
        memcpy(k->kernel.grid, d->grid, sizeof d->grid);
        memcpy(k->kernel.block, d->block, sizeof d->block);
        k->kernel.shared_bytes = d->shared_bytes;
        break;
    }
    case BRICK_KIND_TRANSFER:
        graph_detail(g, node)->transfer.direction = d->number < 3 ? d->number : 2;
        graph_detail(g, node)->transfer.from = intern_brick_name(g, w->from);
        graph_detail(g, node)->transfer.to = intern_brick_name(g, w->to);
        break;
    case BRICK_KIND_FUNCTION:
        graph_detail(g, node)->function.file = intern_brick_name(g, w->from);
        graph_detail(g, node)->function.line = d->number;
        break;
    case BRICK_KIND_BACKEND:
        graph_detail(g, node)->backend.peak_flops = d->peak_flops > 0 ? d->peak_flops : 0;
        graph_detail(g, node)->backend.peak_bytes = d->peak_bytes > 0 ? d->peak_bytes : 0;
        graph_detail(g, node)->backend.how = intern_brick_name(g, w->from);
        graph_detail(g, node)->backend.spread_flops = d->grid[0];
        graph_detail(g, node)->backend.spread_bytes = d->grid[1];
        break;
    case BRICK_KIND_LAYER:
        graph_detail(g, node)->layer.index = d->number;
        break;
    default:
        break;
    }
}

/* Whether a launch was reported with equal start and end: its time was not measured. */
static bool without_time(const struct brick_node *n, const struct brick_what *what)
{
    return n->total == 0 &&
           (what->desc.kind == BRICK_KIND_KERNEL || what->desc.kind == BRICK_KIND_TRANSFER);
}

static void set_work(struct graph *g, uint32_t node, const struct brick_node *n,
                     const struct brick_what *what)
{
    struct graph_work *w = graph_work(g, node);
    bool timed = n->count && !without_time(n, what);
    *w = (struct graph_work){.count = n->count,
                             .total = n->total,
                             .min = timed ? n->min : GRAPH_UNKNOWN,
                             .max = timed ? n->max : GRAPH_UNKNOWN,
                             .sum_squares = n->squares,
                             .histogram = GRAPH_NONE};
    *graph_extra(g, node) = (struct graph_extra){.elements = n->elements,
                                                 .bytes = n->bytes,
                                                 .flops = n->flops,
                                                 .budget = what->desc.budget_ns,
                                                 .recent_count = n->recent_count,
                                                 .recent_total = n->recent_total,
                                                 .recent_bytes = n->recent_bytes,
                                                 .recent_flops = n->recent_flops,
                                                 .busiest = n->busiest};
    if (what->desc.kind == BRICK_KIND_TASK) { /* a task counts its yields as elements */
        struct graph_detail *d = graph_detail(g, node);
        d->task.polls = n->count;
        d->task.yields = n->elements;
        d->task.poll_ns = n->total;
        graph_extra(g, node)->elements = 0;
    } else if (what->desc.kind == BRICK_KIND_TRANSFER) {
        graph_detail(g, node)->transfer.bytes = n->bytes;
    }
    if (n->histogram.total) {
        struct histogram *h = xcalloc(1, sizeof *h);
        histogram_add(h, &n->histogram);
        w->histogram = graph_add_histogram(g, h);
    }
}

static bool is_scope(uint32_t kind)
{
    return kind == BRICK_KIND_BACKEND || kind == BRICK_KIND_FUNCTION || kind == BRICK_KIND_LAYER;
}

/* Adds the program's events to the graph; number[i] is the graph's number of the i-th event. */
static void add_program_counters(struct graph *g, const struct brick_reader *r,
                                 uint32_t number[BRICK_COUNTERS])
{
    const struct brick_counter *counters;
    const uint32_t n = brick_reader_counters(r, &counters);
    for (uint32_t i = 0; i < BRICK_COUNTERS; i++)
        number[i] = i < n ? graph_counter(g, counters[i].name, counters[i].why) : GRAPH_NONE;
}

/* Gives a node its counts, scaled to all of its time. */
static void set_counts(struct graph *g, uint32_t node, const struct brick_reader *r,
                       const struct brick_counts *c, const uint32_t number[BRICK_COUNTERS])
{
    const struct brick_counter *counters;
    const uint32_t n = brick_reader_counters(r, &counters);
    struct graph_counts *to = graph_add_counts(g, node);
    double scale = 1;
    if (c->running < c->enabled)
        scale = c->running ? (double)c->enabled / (double)c->running : NAN;
    to->calls = c->spans;
    to->enabled = c->enabled;
    to->running = c->running;
    for (uint32_t i = 0; i < n; i++)
        if (number[i] != GRAPH_NONE && !*counters[i].why)
            to->value[number[i]] = (double)c->value[i] * scale;
}

uint32_t brick_graph_sums(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid)
{
    uint32_t n, base = graph_add(g, NODE_PROGRAM, graph_intern(g, name), GRAPH_NONE, EDGE_CONTAINS,
                                 GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    const struct brick_node *nodes = brick_reader_nodes(r, &n);
    uint64_t total = 0;
    graph_detail(g, base)->thread.id = pid;
    uint64_t *below = xcalloc(n + 1u, sizeof *below);
    uint32_t number[BRICK_COUNTERS];
    add_program_counters(g, r, number);
    /* an open span lasts at least as long as the spans that ended inside it */
    for (uint32_t i = n; i-- > 0;) {
        bool scope = is_scope(brick_reader_what(r, nodes[i].what)->desc.kind);
        below[i] = scope && below[i] > nodes[i].total ? below[i] : nodes[i].total;
        if (nodes[i].parent != BRICK_NONE)
            below[nodes[i].parent] += below[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct brick_what *w = brick_reader_what(r, nodes[i].what);
        uint32_t parent = nodes[i].parent == BRICK_NONE ? base : base + 1 + nodes[i].parent;
        uint64_t time = below[i] == 0 && without_time(&nodes[i], w) ? GRAPH_UNKNOWN : below[i];
        uint32_t node = graph_add(g, kinds[w->desc.kind], graph_intern(g, w->name), parent,
                                  EDGE_CONTAINS, GRAPH_UNKNOWN, time);
        describe_node(g, node, w);
        set_work(g, node, &nodes[i], w);
        const struct brick_counts *counts = brick_reader_counts(r, i);
        if (counts && counts->spans)
            set_counts(g, node, r, counts, number);
        if (parent == base)
            total += below[i];
    }
    free(below);
    g->duration[base] = total;
    return base;
}

/* --- calls --- */

static uint32_t add_brick_node(struct brick_calls *c, enum node_kind kind, const char *name,
                               uint32_t parent, enum edge_kind via, uint64_t start,
                               uint64_t duration, struct brick_origin origin)
{
    uint32_t node =
        graph_add(c->graph, kind, graph_intern(c->graph, name), parent, via, start, duration);
    LIST_ADD(c->origins, c->norigins, c->cap, origin);
    return node;
}

struct brick_call {
    const struct brick_event *event;
    uint32_t depth;
};

static int newest_last(const void *a, const void *b)
{
    const struct brick_call *x = a, *y = b;
    const struct brick_record *p = &x->event->record, *q = &y->event->record;
    if (p->end != q->end)
        return p->end < q->end ? -1 : 1;
    return p->span < q->span ? -1 : p->span > q->span;
}

/* Sorts parents before their children, even if their times say otherwise. */
static int by_depth(const void *a, const void *b)
{
    const struct brick_call *x = a, *y = b;
    const struct brick_record *p = &x->event->record, *q = &y->event->record;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (p->start != q->start)
        return p->start < q->start ? -1 : 1;
    return p->span < q->span ? -1 : p->span > q->span;
}

static uint32_t find_span_node(const struct ids *spans, uint64_t span)
{
    return span ? ids_get(spans, span) : GRAPH_NONE;
}

static size_t choose_calls(struct brick_call **out, const struct brick_reader *r, uint64_t from,
                           uint64_t to, size_t at_most)
{
    size_t nevents, n = 0;
    uint32_t nnodes;
    const struct brick_event *events = brick_reader_events(r, &nevents);
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    uint32_t *depth = xcalloc(nnodes + 1u, sizeof *depth);
    for (uint32_t i = 0; i < nnodes; i++)
        depth[i] = nodes[i].parent == BRICK_NONE ? 0 : depth[nodes[i].parent] + 1;
    struct brick_call *calls = xcalloc(nevents + 1, sizeof *calls);
    for (size_t i = 0; i < nevents; i++) {
        const struct brick_record *e = &events[i].record;
        if ((e->type & 15) == BRICK_SPAN && e->start >= from && e->end <= to)
            calls[n++] = (struct brick_call){&events[i], depth[e->node]};
    }
    free(depth);
    if (n > at_most) {
        qsort(calls, n, sizeof *calls, newest_last);
        memmove(calls, calls + (n - at_most), at_most * sizeof *calls);
        n = at_most;
    }
    qsort(calls, n, sizeof *calls, by_depth);
    *out = calls;
    return n;
}

/* The last child of each node so far, to connect it with the next. */
struct last {
    uint32_t *node;
    uint32_t n, first; /* range of the program's nodes */
};

static void connect_brick_calls(struct graph *g, struct last *l, uint32_t parent, uint32_t node)
{
    uint32_t *before = &l->node[parent - l->first];
    if (*before == GRAPH_NONE) {
        *before = node;
        return;
    }
    uint64_t end = g->start[*before] + g->duration[*before];
    if (end <= g->start[node])
        graph_connect(g, *before, node, EDGE_SEQUENCE);
    if (g->start[node] + g->duration[node] >= end)
        *before = node;
}

static uint32_t add_brick_call(struct brick_calls *c, const struct brick_reader *r,
                               const struct brick_event *e, uint32_t parent, bool in_span)
{
    const struct brick_record *s = &e->record;
    uint32_t nnodes;
    const struct brick_node *n = &brick_reader_nodes(r, &nnodes)[s->node];
    const struct brick_what *w = brick_reader_what(r, n->what);
    struct graph *g = c->graph;
    bool device = s->type & BRICK_RECORD_DEVICE;
    bool launched = !in_span || (device && !(g->flags[parent] & NODE_DEVICE_TIME));
    uint32_t node = add_brick_node(c, kinds[w->desc.kind], w->name, parent,
                                   launched ? EDGE_LAUNCHES : EDGE_CONTAINS, s->start,
                                   s->end - s->start, (struct brick_origin){s->node, e->thread});
    if (node == GRAPH_NONE)
        return node;
    describe_node(g, node, w);
    if (device)
        g->flags[node] |= NODE_DEVICE_TIME;
    if (w->desc.kind == BRICK_KIND_BRICK && s->elements)
        graph_detail(g, node)->brick.elements = s->elements;
    if (w->desc.kind == BRICK_KIND_TRANSFER)
        graph_detail(g, node)->transfer.bytes = s->bytes;
    return node;
}

static void add_dependencies(struct brick_calls *c, const struct brick_reader *r,
                             const struct ids *spans)
{
    size_t nevents;
    const struct brick_event *events = brick_reader_events(r, &nevents);
    for (size_t i = 0; i < nevents; i++) {
        const struct brick_record *e = &events[i].record;
        if ((e->type & 15) != BRICK_EDGE)
            continue;
        uint32_t before = find_span_node(spans, e->span), after = find_span_node(spans, e->parent);
        if (before != GRAPH_NONE && after != GRAPH_NONE && before != after)
            graph_connect(c->graph, before, after,
                          e->type & BRICK_RECORD_JOIN ? EDGE_JOINS : EDGE_DEPENDS);
    }
}

static uint32_t *add_brick_threads(struct brick_calls *c, const struct brick_reader *r,
                                   uint32_t program)
{
    uint32_t nthreads;
    const struct brick_thread_info *threads = brick_reader_threads(r, &nthreads);
    uint32_t *node = xcalloc(nthreads + 1u, sizeof *node);
    for (uint32_t i = 0; i < nthreads; i++) {
        node[i] =
            add_brick_node(c, NODE_THREAD, threads[i].name, program, EDGE_LAUNCHES, GRAPH_UNKNOWN,
                           GRAPH_UNKNOWN, (struct brick_origin){BRICK_NONE, i});
        graph_detail(c->graph, node[i])->thread.id = threads[i].tid;
    }
    return node;
}

void brick_graph_calls(struct brick_calls *c, const struct brick_reader *r, const char *name,
                       int64_t pid, uint64_t from, uint64_t to, size_t at_most)
{
    struct brick_call *calls;
    struct ids spans = {0}; /* nodes of the calls so far */
    size_t n = choose_calls(&calls, r, from, to, at_most);
    uint32_t program =
        add_brick_node(c, NODE_PROGRAM, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN,
                       GRAPH_UNKNOWN, (struct brick_origin){BRICK_NONE, 0});
    graph_detail(c->graph, program)->thread.id = pid;
    uint32_t *threads = add_brick_threads(c, r, program);
    struct last last = {NULL, c->graph->nnodes - program + (uint32_t)n, program};
    last.node = xcalloc(last.n, sizeof *last.node);
    memset(last.node, 0xff, last.n * sizeof *last.node);
    for (size_t i = 0; i < n; i++) {
        const struct brick_event *e = calls[i].event;
        uint32_t parent = find_span_node(&spans, e->record.parent), in = parent;
        if (parent == GRAPH_NONE)
            parent = threads[e->thread];
        uint32_t node = add_brick_call(c, r, e, parent, in != GRAPH_NONE);
        if (node == GRAPH_NONE)
            break;
        connect_brick_calls(c->graph, &last, parent, node);
        ids_add(&spans, e->record.span, node);
    }
    add_dependencies(c, r, &spans);
    free(last.node);
    free(threads);
    ids_free(&spans);
    free(calls);
}

uint32_t brick_graph_flat(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid, const struct brick_event *const *events, uint32_t *n)
{
    struct brick_calls c = {.graph = graph_ref(g)};
    const uint32_t program =
        add_brick_node(&c, NODE_PROGRAM, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN,
                       GRAPH_UNKNOWN, (struct brick_origin){BRICK_NONE, 0});
    graph_detail(g, program)->thread.id = pid;
    uint32_t *threads = add_brick_threads(&c, r, program), first = g->nnodes, added = 0;
    while (added < *n &&
           add_brick_call(&c, r, events[added], threads[events[added]->thread], true) != GRAPH_NONE)
        added++;
    *n = added;
    free(threads);
    brick_calls_free(&c);
    return first;
}

void brick_calls_free(struct brick_calls *c)
{
    graph_unref(c->graph);
    free(c->origins);
    *c = (struct brick_calls){0};
}
