#include "engine/kernels/kernel_launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/code/kernel_name.h"
#include "engine/kernels/kernel_parts.h"

enum { SHAPES_MOST = 4096, LOG_FROM = 10 };

/* Whether a name of the graph belongs to the row. */
static bool is_name_of_kernel_row(const struct graph *g, uint32_t name, const struct kernel_row *r,
                                  enum kernels_group group)
{
    char buffer[KERNEL_NAME_BYTES];
    const char *raw = graph_text(g, name);
    if (r->kind == NODE_TRANSFER)
        return strcmp(raw, r->name) == 0;
    return strcmp(group == KERNELS_BY_BASE ? kernel_base_name(raw, buffer, sizeof buffer)
                                           : kernel_full_name(raw, buffer, sizeof buffer),
                  r->name) == 0;
}

static struct kernel_shape shape_of(const struct trace *t, uint32_t v)
{
    struct trace_dispatch d;
    struct kernel_shape s = {.agent = TRACE_UNKNOWN,
                             .vgprs = TRACE_UNKNOWN,
                             .accum_vgprs = TRACE_UNKNOWN,
                             .sgprs = TRACE_UNKNOWN,
                             .lds_bytes = TRACE_UNKNOWN,
                             .scratch_bytes = TRACE_UNKNOWN};
    const struct graph *g = t->calls;
    if (g->kind[v] == NODE_KERNEL && g->detail[v] != GRAPH_NONE) {
        memcpy(s.grid, g->details[g->detail[v]].kernel.grid, sizeof s.grid);
        memcpy(s.block, g->details[g->detail[v]].kernel.block, sizeof s.block);
    }
    if (trace_dispatch_of(t, v, &d)) {
        s.vgprs = d.vgprs;
        s.accum_vgprs = d.accum_vgprs;
        s.sgprs = d.sgprs;
        s.lds_bytes = d.lds_bytes;
        s.scratch_bytes = d.scratch_bytes;
    }
    return s;
}

/* --- the nodes of a row --- */

struct launch_nodes {
    uint32_t *list, n, cap;
};

static struct launch_nodes find_nodes(const struct trace *t, const struct kernel_row *r,
                                      enum kernels_group group)
{
    enum { NOT_ASKED, NO, YES };
    const struct graph *g = t->calls;
    struct launch_nodes out = {.n = 0};
    uint8_t *known = xcalloc(g->nnames + (size_t)1, 1);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (g->kind[v] != r->kind)
            continue;
        uint8_t *is = &known[g->name[v]];
        if (*is == NOT_ASKED)
            *is = is_name_of_kernel_row(g, g->name[v], r, group) ? YES : NO;
        if (*is == NO)
            continue;
        if (group == KERNELS_BY_SHAPE) {
            struct kernel_shape s = shape_of(t, v);
            if (kernel_shape_order(&s, &r->shape) != 0)
                continue;
        }
        LIST_ADD(out.list, out.n, out.cap, v);
    }
    free(known);
    return out;
}

/* --- lengths --- */

static void find_edges(struct kernel_launches *out, double least, double most)
{
    out->nlengths = most > least ? LAUNCH_LENGTHS : 1;
    bool by_log = least > 0 && most >= LOG_FROM * least;
    for (uint32_t i = 0; i <= out->nlengths; i++) {
        double part = (double)i / out->nlengths;
        out->edge[i] = by_log ? least * pow(most / least, part) : least + (most - least) * part;
    }
    out->edge[out->nlengths] = most;
}

static void count_length(struct kernel_launches *out, double ns)
{
    uint32_t i = 0;
    while (i + 1 < out->nlengths && ns >= out->edge[i + 1])
        i++;
    out->length[i]++;
}

/* --- over time --- */

/* Adds the ns of a launch to each part of the time. */
static void add_busy(struct kernel_launches *out, uint64_t start, uint64_t ns)
{
    double span = (double)(out->end - out->begin), part = span / LAUNCH_TIMES;
    if (!(span > 0) || start < out->begin)
        return;
    double from = (double)(start - out->begin), to = fmin(from + (double)ns, span);
    for (uint32_t i = (uint32_t)fmin(from / part, LAUNCH_TIMES - 1); i < LAUNCH_TIMES; i++) {
        double low = fmax(from, i * part), high = fmin(to, (i + 1) * part);
        if (high <= low && i * part > to)
            break;
        out->busy[i] += high > low ? high - low : 0;
    }
}

/* --- shapes --- */

static bool same_shape(const struct kernel_shape *a, const struct kernel_shape *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static int compare_launch_shapes(const void *a, const void *b)
{
    const struct launch_shape *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return kernel_shape_order(&x->shape, &y->shape);
}

static void find_shapes(struct kernel_launches *out, const struct graph *g,
                        const struct launch_nodes *of)
{
    struct launch_shape *list = NULL;
    uint32_t n = 0, last = 0;
    for (uint32_t i = 0; i < of->n; i++) {
        uint32_t v = of->list[i];
        struct launch_shape own = {.calls = 0};
        if (g->detail[v] != GRAPH_NONE) {
            memcpy(own.shape.grid, g->details[g->detail[v]].kernel.grid, sizeof own.shape.grid);
            memcpy(own.shape.block, g->details[g->detail[v]].kernel.block, sizeof own.shape.block);
        }
        if (n == 0 || !same_shape(&list[last].shape, &own.shape))
            for (last = 0; last < n && !same_shape(&list[last].shape, &own.shape);)
                last++;
        if (last == n && n == SHAPES_MOST)
            break;
        if (last == n) {
            list = xrealloc(list, n + (size_t)1, sizeof *list);
            list[n++] = own;
        }
        list[last].calls++;
        list[last].total += g->duration[v] == GRAPH_UNKNOWN ? 0 : g->duration[v];
    }
    if (n)
        qsort(list, n, sizeof *list, compare_launch_shapes);
    out->nshapes = n < LAUNCH_SHAPES ? n : LAUNCH_SHAPES;
    out->more = n - out->nshapes;
    if (n)
        memcpy(out->shapes, list, out->nshapes * sizeof *list);
    free(list);
}

void kernel_launches_find(struct kernel_launches *out, const struct trace *t,
                          const struct kernels_total *total, const struct kernel_row *row,
                          enum kernels_group group)
{
    const struct graph *g = t->calls;
    struct launch_nodes of = find_nodes(t, row, group);
    *out = (struct kernel_launches){.begin = total->begin, .end = total->end};
    find_edges(out, (double)row->sum.min, (double)row->sum.max);
    for (uint32_t i = 0; i < of.n; i++) {
        uint32_t v = of.list[i];
        if (g->duration[v] == GRAPH_UNKNOWN)
            continue;
        out->timed++;
        count_length(out, (double)g->duration[v]);
        if (g->start[v] != GRAPH_UNKNOWN)
            add_busy(out, g->start[v], g->duration[v]);
    }
    if (row->kind == NODE_KERNEL)
        find_shapes(out, g, &of);
    free(of.list);
}
