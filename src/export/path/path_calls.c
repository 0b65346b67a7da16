/* The system calls of the spans on a path. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "export/path/path_export_impl.h"

/* The calls of a node at its first step on the path; none at later steps. Calls of a thread outside
 * its spans do not count, because most were made before or after the path. */
static uint32_t new_parts(const struct graph *g, uint32_t node, bool *seen,
                          const struct call_part **parts)
{
    const bool new = !seen[node] && g->kind[node] != NODE_THREAD && g->kind[node] != NODE_PROGRAM;
    seen[node] = true;
    return new ? graph_syscalls_parts(g, node, parts) : 0;
}

struct path_step path_step_at(const struct trace *t, const struct critical_path *p, uint32_t i,
                              bool *seen)
{
    const struct graph *g = t->calls;
    struct path_step step = {.g = g, .s = &p->steps[i], .i = i};
    step.counters = t->sums ? t->sums->counters : NULL;
    const uint32_t place = step.counters && t->place ? t->place[step.s->node] : GRAPH_NONE;
    step.counts = place == GRAPH_NONE ? NULL : graph_counts_of(t->sums, place);
    step.clock = graph_clock_of(g, p->steps[i].node);
    const struct call_part *parts = NULL;
    const uint32_t n = new_parts(g, step.s->node, seen, &parts);
    for (uint32_t k = 0; k < n; k++) {
        call_count_add(&step.calls.n, &parts[k].own);
        if (parts[k].own.ns <= step.calls.most_ns)
            continue;
        step.calls.most_ns = parts[k].own.ns;
        step.calls.most_in = parts[k].name;
    }
    return step;
}

static int compare_call_times(const void *a, const void *b)
{
    const struct call_part *x = a, *y = b;
    if (x->own.ns != y->own.ns)
        return x->own.ns > y->own.ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Adds to the list by a linear search, because there are few different calls. */
static void add_call_part(struct call_part **list, uint32_t *n, uint32_t *cap,
                          const struct call_part *p)
{
    uint32_t i = 0;
    while (i < *n && (*list)[i].name != p->name)
        i++;
    if (i == *n) {
        LIST_ROOM(*list, *n, *cap);
        (*list)[(*n)++] = (struct call_part){.node = GRAPH_NONE, .name = p->name};
    }
    call_count_add(&(*list)[i].own, &p->own);
}

uint32_t path_syscalls(const struct graph *g, const struct critical_path *p, struct call_count *all,
                       struct call_part **out)
{
    bool *seen = xcalloc(g->nnodes + (size_t)1, sizeof *seen);
    uint32_t n = 0, cap = 0;
    *out = NULL;
    *all = (struct call_count){0};
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct call_part *parts = NULL;
        const uint32_t nparts = new_parts(g, p->steps[i].node, seen, &parts);
        for (uint32_t k = 0; k < nparts; k++) {
            if (parts[k].own.calls || parts[k].own.ns)
                add_call_part(out, &n, &cap, &parts[k]);
            call_count_add(all, &parts[k].own);
        }
    }
    free(seen);
    if (n)
        qsort(*out, n, sizeof **out, compare_call_times);
    return n;
}
