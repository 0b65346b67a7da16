#include "export/otlp/otlp_node.h"

#include <stdio.h>

const char *otlp_name(const struct graph *g, uint32_t name)
{
    return name == GRAPH_NONE ? NULL : graph_text(g, name);
}

void otlp_node_lane(const struct graph *g, uint32_t lane, struct otlp_attrs *a)
{
    if (lane == GRAPH_NONE)
        return;
    const bool thread = g->kind[lane] == NODE_THREAD;
    if (g->detail[lane] != GRAPH_NONE)
        otlp_int(a, thread ? "thread.id" : "rooftop.queue.id",
                 g->details[g->detail[lane]].thread.id);
    otlp_text(a, thread ? "thread.name" : "rooftop.queue.name", graph_name(g, lane));
}

static void describe_otlp_kernel(const struct graph_detail *d, struct otlp_attrs *a,
                                 struct otlp_node_texts *x)
{
    const uint32_t *g = d->kernel.grid, *b = d->kernel.block;
    snprintf(x->grid, sizeof x->grid, "%ux%ux%u", g[0], g[1], g[2]);
    snprintf(x->block, sizeof x->block, "%ux%ux%u", b[0], b[1], b[2]);
    otlp_text(a, "rooftop.kernel.grid", x->grid);
    otlp_text(a, "rooftop.kernel.block", x->block);
    otlp_uint(a, "rooftop.kernel.shared_bytes", d->kernel.shared_bytes);
}

static void describe_copy(const struct graph *g, const struct graph_detail *d, struct otlp_attrs *a)
{
    static const char *const directions[] = {"host to device", "device to host",
                                             "device to device"};
    if (d->transfer.bytes != GRAPH_UNKNOWN)
        otlp_uint(a, "rooftop.copy.bytes", d->transfer.bytes);
    if (d->transfer.direction < 3)
        otlp_text(a, "rooftop.copy.direction", directions[d->transfer.direction]);
    otlp_text(a, "rooftop.copy.from", otlp_name(g, d->transfer.from));
    otlp_text(a, "rooftop.copy.to", otlp_name(g, d->transfer.to));
}

static void describe_detail(const struct graph *g, uint32_t n, struct otlp_attrs *a,
                            struct otlp_node_texts *x)
{
    if (g->detail[n] == GRAPH_NONE)
        return;
    const struct graph_detail *d = &g->details[g->detail[n]];
    switch ((enum node_kind)g->kind[n]) {
    case NODE_PROGRAM:
        otlp_int(a, "process.pid", d->thread.id);
        break;
    case NODE_KERNEL:
        describe_otlp_kernel(d, a, x);
        break;
    case NODE_TRANSFER:
        describe_copy(g, d, a);
        break;
    case NODE_FUNCTION:
        otlp_text(a, "code.file.path", otlp_name(g, d->function.file));
        otlp_uint(a, "code.line.number", d->function.line);
        break;
    case NODE_BRICK:
        otlp_uint(a, "rooftop.brick.elements", d->brick.elements);
        break;
    case NODE_TASK:
        otlp_uint(a, "rooftop.task.polls", d->task.polls);
        otlp_uint(a, "rooftop.task.yields", d->task.yields);
        otlp_uint(a, "rooftop.task.poll_ns", d->task.poll_ns);
        break;
    case NODE_LAYER:
        otlp_uint(a, "rooftop.layer.index", d->layer.index);
        break;
    default:
        break;
    }
}

void otlp_node_describe(const struct graph *g, uint32_t n, struct otlp_attrs *a,
                        struct otlp_node_texts *x)
{
    otlp_text(a, "rooftop.kind", node_kind_name(g->kind[n]));
    if (g->kind[n] == NODE_PROGRAM)
        otlp_text(a, "process.executable.name", graph_name(g, n));
    if (g->kind[n] == NODE_BRICK)
        otlp_text(a, "rooftop.brick.category", node_category_name(g->category[n]));
    if (g->flags[n] & NODE_COLLECTIVE)
        otlp_bool(a, "rooftop.collective", true);
    describe_detail(g, n, a, x);
}
