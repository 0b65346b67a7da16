/* The time in which any device was busy, and in which devices only copied. */
#include <stdlib.h>

#include "engine/graph/graph_order.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/trace_window.h"

static uint64_t end_of_kernel_span(const struct graph *g, uint32_t v)
{
    uint64_t end = g->start[v] + g->duration[v];
    return end < g->start[v] ? UINT64_MAX : end;
}

/* Spans by start; those that are no work are outside of the considered part (trace_is_outside). */
struct kernel_spans {
    const struct graph *g;
    uint32_t *list, n;
};
enum of { KERNELS, WORK, ALL };

static bool is_span_of_kind(const struct kernel_spans *s, uint32_t v, enum of of)
{
    return of == ALL || (of == WORK ? graph_is_work(s->g, v) : s->g->kind[v] == NODE_KERNEL);
}

bool kernel_is_timed(const struct graph *g, uint32_t v)
{
    return (graph_is_work(g, v) || trace_is_outside(g, v)) && g->start[v] != GRAPH_UNKNOWN &&
           g->duration[v] != GRAPH_UNKNOWN;
}

static uint64_t count_covered_by_kind(const struct kernel_spans *s, enum of of)
{
    struct time_cover c = {0, 0};
    for (uint32_t i = 0; i < s->n; i++)
        if (is_span_of_kind(s, s->list[i], of))
            cover_add(&c, s->g->start[s->list[i]], end_of_kernel_span(s->g, s->list[i]));
    return c.sum;
}

/* The measured time of a part of a profile: its window was open, or a span of it ran. */
static uint64_t count_measured_time(const struct kernel_spans *s, const struct window_spans *w)
{
    struct time_cover c = {0, 0};
    for (uint32_t i = 0, k = 0; i < s->n || k < w->nopen;)
        if (k == w->nopen || (i < s->n && s->g->start[s->list[i]] <= w->open[k].from)) {
            cover_add(&c, s->g->start[s->list[i]], end_of_kernel_span(s->g, s->list[i]));
            i++;
        } else {
            cover_add(&c, w->open[k].from, w->open[k].done);
            k++;
        }
    return c.sum;
}

static void find_bounds(struct kernels_total *total, const struct kernel_spans *s)
{
    bool first = true;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t end = end_of_kernel_span(s->g, s->list[i]);
        if (!graph_is_work(s->g, s->list[i]))
            continue;
        total->begin = first ? s->g->start[s->list[i]] : total->begin;
        total->end = end > total->end ? end : total->end;
        first = false;
    }
}

void kernel_busy(struct kernels_total *total, const struct trace *t)
{
    struct kernel_spans s = {.g = t->calls};
    s.list = graph_by_parent(s.g, 0, s.g->nnodes, kernel_is_timed, &s.n);
    graph_by_time(s.g, s.list, s.n, false); /* nearly sorted: each queue is mostly in order */
    find_bounds(total, &s);
    total->busy = count_covered_by_kind(&s, WORK);
    total->outside = count_covered_by_kind(&s, ALL) - total->busy;
    total->wall = t->window ? count_measured_time(&s, t->window) : total->end - total->begin;
    total->copying = total->busy;
    if (total->nkernels && !total->ncopies)
        total->copying = 0;
    else if (total->nkernels)
        total->copying -= count_covered_by_kind(&s, KERNELS);
    free(s.list);
}
