#include "engine/kernels/kernel_peaks.h"

#include <math.h>

#include "engine/roofline/gpu_peaks.h"

static void clear_peaks(struct kernel_peaks *p)
{
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            p->ops[u][i] = NAN;
    p->bytes = NAN;
}

/* Leaves out ceilings that are marked as extra. */
static void fill_peaks(struct kernel_peaks *p, const struct roof *r)
{
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        if (c->extra || !(c->peak > 0))
            continue;
        if (!c->memory)
            p->ops[c->unit][c->type] = c->peak;
        else if (c->level == LEVEL_HBM)
            p->bytes = c->peak;
    }
}

struct kernel_peaks *kernel_peaks_of(const struct trace *t)
{
    struct kernel_peaks *list = xcalloc(t->nagents + 1u, sizeof *list);
    for (uint32_t i = 0; i < t->nagents; i++) {
        const struct trace_agent *a = &t->agents[i];
        struct arena memory = {0};
        struct roof roof = {.name = ""};
        clear_peaks(&list[i]);
        if (a->gpu && a->name != GRAPH_NONE &&
            gpu_peaks(&roof, &memory, graph_text(t->calls, a->name),
                      a->model == GRAPH_NONE ? "" : graph_text(t->calls, a->model), a->units,
                      a->clock_mhz))
            fill_peaks(&list[i], &roof);
        arena_free(&memory);
    }
    return list;
}
