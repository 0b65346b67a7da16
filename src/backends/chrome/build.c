/* Adds spans as nodes, nested by time inside their lane. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"
#include "engine/graph/execution.h"
#include "engine/trace/collective.h"

/* --- one span --- */

static const struct chrome_work *find_work_of_span(const struct chrome_store *s, uint32_t span)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, s->work.n, s->work.at[low].span < span);
    return low < s->work.n && s->work.at[low].span == span ? &s->work.at[low] : NULL;
}

/* Adds the file's details about the collective that a kernel belongs to. */
static void describe_collective(struct chrome_store *s, const struct chrome_work *w, uint32_t node)
{
    struct graph *g = s->trace->calls;
    if (!w->kernel.collective)
        return;
    const struct chrome_collective *c = &s->collectives.at[w->kernel.collective - 1];
    enum collective_op op = (enum collective_op)c->op;
    if (op != COLLECTIVE_NONE)
        g->flags[node] |= NODE_COLLECTIVE;
    if (op == COLLECTIVE_NONE || op == COLLECTIVE_SOME)
        op = collective_of(graph_name(g, node));
    trace_add_collective(s->trace,
                         &(struct trace_collective){.node = node,
                                                    .ranks = c->ranks ? c->ranks : TRACE_UNKNOWN,
                                                    .group = c->group,
                                                    .bytes = c->bytes,
                                                    .sequence = c->sequence,
                                                    .op = (uint8_t)op});
}

static void describe_chrome_kernel(struct chrome_store *s, const struct chrome_work *w,
                                   uint32_t node, uint64_t id)
{
    bool shared = w->kernel.shared_bytes != TRACE_UNKNOWN;
    /* otherwise its launch shape is unknown */
    if (w->kernel.grid[0] || w->kernel.block[0] || shared) {
        struct graph_detail d = {.kernel = {.shared_bytes = shared ? w->kernel.shared_bytes : 0}};
        memcpy(d.kernel.grid, w->kernel.grid, sizeof d.kernel.grid);
        memcpy(d.kernel.block, w->kernel.block, sizeof d.kernel.block);
        graph_set_kernel(s->trace->calls, node, &d);
    }
    describe_collective(s, w, node);
    if (s->rooftop)
        return; /* rooftop's export does not name the device of its kernels */
    trace_add_dispatch(s->trace, &(struct trace_dispatch){
                                     .node = node,
                                     .agent = chrome_agent(s, w->device),
                                     .id = id,
                                     .vgprs = w->kernel.registers,
                                     .accum_vgprs = TRACE_UNKNOWN,
                                     .sgprs = TRACE_UNKNOWN,
                                     .lds_bytes = w->kernel.shared_bytes,
                                     .scratch_bytes = TRACE_UNKNOWN,
                                 });
}

static void describe_transfer(struct chrome_store *s, const struct chrome_work *w, uint32_t node)
{
    struct graph *g = s->trace->calls;
    uint32_t from = w->transfer.from, to = w->transfer.to;
    if (!s->rooftop) {
        char device[32] = "device";
        if (w->device != TRACE_UNKNOWN)
            snprintf(device, sizeof device, "GPU %u", chrome_device_number(s, w->device));
        from = graph_intern(g, w->transfer.direction == 0 ? "host" : device);
        to = graph_intern(g, w->transfer.direction == 1 ? "host" : device);
        chrome_agent(s, w->device);
    }
    struct graph_detail *d = graph_detail(g, node);
    d->transfer.bytes = w->transfer.bytes;
    d->transfer.direction = w->transfer.direction;
    d->transfer.from = from;
    d->transfer.to = to;
}

uint32_t chrome_add_node(struct chrome_store *s, uint32_t i, uint32_t parent, enum edge_kind via,
                         int64_t add)
{
    struct chrome_span *span = &s->spans.at[i];
    struct graph *g = s->trace->calls;
    unsigned kind = span->kind >= BRICK_OF ? NODE_BRICK : span->kind;
    uint32_t node = parent == GRAPH_NONE
                        ? GRAPH_NONE
                        : graph_add(g, (enum node_kind)kind, span->name, parent, via,
                                    (uint64_t)(span->start + add), span->duration);
    span->name = node; /* from now on the node, not the name */
    if (node == GRAPH_NONE) {
        trace_leave_out(s->trace, LEFT_NO_ROOM, 1);
        return node;
    }
    s->trace->spans++;
    if (span->kind >= BRICK_OF)
        g->category[node] = (uint8_t)(span->kind - BRICK_OF);
    if (span->bits & SPAN_DEVICE)
        g->flags[node] |= NODE_DEVICE_TIME;
    if (span->bits & SPAN_FRAME)
        g->flags[node] |= NODE_FRAME;
    const struct chrome_work *w = span->bits & SPAN_WORK ? find_work_of_span(s, i) : NULL;
    if (w && kind == NODE_KERNEL)
        describe_chrome_kernel(s, w, node, span->bits & SPAN_CORRELATED ? span->id : 0);
    else if (w)
        describe_transfer(s, w, node);
    return node;
}

/* --- the spans of a lane --- */

struct open_frame {
    uint32_t node, last; /* last: the child that ended last so far */
    uint64_t end, last_end;
};

struct frame_nest {
    struct open_frame *frames; /* frames[0] is the lane itself */
    uint32_t depth, cap;
};

static void push_frame(struct frame_nest *n, uint32_t node, uint64_t end)
{
    LIST_ADD(n->frames, n->depth, n->cap, (struct open_frame){node, GRAPH_NONE, end, 0});
}

static void connect_frames(struct graph *g, struct open_frame *f, uint32_t node)
{
    uint64_t end = g->start[node] + g->duration[node];
    if (f->last != GRAPH_NONE && f->last_end <= g->start[node])
        graph_connect(g, f->last, node, EDGE_SEQUENCE);
    if (f->last == GRAPH_NONE || end >= f->last_end) {
        f->last = node;
        f->last_end = end;
    }
}

/* Adds a span below the enclosing frame. Spans come in order of start, longer ones first, so
 * parents come before their children. A frame that has ended or ends earlier does not enclose the
 * span. */
static void add_to_lane(struct chrome_store *s, struct frame_nest *n, uint32_t i, int64_t add)
{
    const struct chrome_span *span = &s->spans.at[i];
    uint64_t start = (uint64_t)(span->start + add), end = start + span->duration;
    while (n->depth > 1 &&
           (n->frames[n->depth - 1].end <= start || n->frames[n->depth - 1].end < end))
        n->depth--;
    struct open_frame *around = &n->frames[n->depth - 1];
    uint32_t node =
        chrome_add_node(s, i, around->node, n->depth == 1 ? EDGE_LAUNCHES : EDGE_CONTAINS, add);
    if (node == GRAPH_NONE || graph_is_context(s->trace->calls, node))
        return;
    connect_frames(s->trace->calls, around, node);
    /* Kernels and copies overlap, so they enclose nothing. */
    if (!(s->lanes.at[span->lane].queue && span->bits & SPAN_WORK))
        push_frame(n, node, end);
}

static bool span_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[a], *y = &s->spans.at[b];
    return x->start != y->start ? x->start > y->start : x->duration < y->duration;
}

static int build_lane(struct chrome_store *s, uint32_t lane, const uint32_t *spans, uint32_t n,
                      const struct chrome_way *way)
{
    enum { LOOK_UP = 1 << 18 };
    struct frame_nest nest = {0};
    struct chrome_lane *l = &s->lanes.at[lane];
    int rc = 0;
    push_frame(&nest, l->node, UINT64_MAX);
    l->first = s->trace->calls->nnodes;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        add_to_lane(s, &nest, spans[i], way->add);
        if (i % LOOK_UP == 0)
            rc = trace_progress(s->trace, way->path, 1, 1, way->err);
    }
    l->end = s->trace->calls->nnodes;
    free(nest.frames);
    return rc;
}

/* --- all spans --- */

/* Sorts spans by lane: those of lane l begin at order[first[l]]. Spans without an end are counted
 * and left out. */
static uint32_t *spans_by_lane(struct chrome_store *s, uint32_t *order)
{
    uint32_t *first = xcalloc(s->lanes.n + (size_t)2, sizeof *first);
    uint32_t open = 0;
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span *span = &s->spans.at[i];
        if (span->duration == CHROME_OPEN)
            open++;
        else if (!(span->bits & SPAN_ASYNC))
            first[span->lane + 2]++;
    }
    trace_leave_out(s->trace, LEFT_NO_END, open - s->outside);
    for (uint32_t l = 2; l <= s->lanes.n + 1; l++)
        first[l] += first[l - 1];
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span *span = &s->spans.at[i];
        if (span->duration != CHROME_OPEN && !(span->bits & SPAN_ASYNC))
            order[first[span->lane + 1]++] = i;
    }
    return first;
}

int chrome_build(struct chrome_store *s, const struct chrome_way *way)
{
    uint32_t *spare, *order = chrome_order(s->spans.n, &spare);
    uint32_t *lanes = chrome_add_programs(s), *first = spans_by_lane(s, order);
    int rc = 0;
    for (uint32_t i = 0; i < s->lanes.n && rc == 0; i++) {
        uint32_t l = lanes[i], n = first[l + 1] - first[l];
        chrome_sort(order + first[l], n, spare, span_after, s);
        if (n)
            rc = build_lane(s, l, order + first[l], n, way);
    }
    free(first);
    free(lanes);
    free(order);
    free(spare);
    return rc;
}

/* --- impossible times --- */

/* Whether the kernels of a lane run in order: a stream of a GPU. Lanes of XLA's other devices nest
 * their operations. */
static bool is_lane_in_order(const struct chrome_store *s, const struct chrome_lane *l)
{
    const char *name = l->name == GRAPH_NONE ? "" : graph_text(s->trace->calls, l->name);
    return l->queue && l->node != GRAPH_NONE && !strstr(name, "XLA");
}

/* Counts the kernels of a stream that end before a kernel that began earlier. Even with
 * programmatic dependent launch, which lets a kernel begin early, it ends later. */
static uint32_t contained_in(const struct graph *g, const struct chrome_lane *l)
{
    uint32_t found = 0;
    uint64_t end = 0;
    for (uint32_t v = l->first; v < l->end; v++) {
        if (g->kind[v] != NODE_KERNEL || g->start[v] == GRAPH_UNKNOWN)
            continue;
        uint64_t done = g->start[v] + g->duration[v];
        found += done < end;
        end = done > end ? done : end;
    }
    return found;
}

void chrome_note_overlaps(struct chrome_store *s)
{
    uint32_t kernels = 0, streams = 0;
    for (uint32_t i = 0; i < s->lanes.n; i++) {
        const struct chrome_lane *l = &s->lanes.at[i];
        uint32_t n = is_lane_in_order(s, l) ? contained_in(s->trace->calls, l) : 0;
        kernels += n;
        streams += n > 0;
    }
    if (kernels)
        trace_note(s->trace,
                   "%u kernel%s of %u stream%s end%s before an earlier kernel of the same stream, "
                   "which runs them in order: these times cannot be trusted, unless the kernels "
                   "are of branches of a graph",
                   kernels, kernels == 1 ? "" : "s", streams, streams == 1 ? "" : "s",
                   kernels == 1 ? "s" : "");
}
