#include "engine/kernels/kernels_lacking.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/trace/left_out.h"

static void add_lacking(struct kernels_lacking *to, const char *text)
{
    if (to->n < KERNELS_LACKING_MAX)
        snprintf(to->text[to->n++], sizeof to->text[0], "%s", text);
}

/* Notes kernels whose shape, registers or architecture are unknown. */
static void add_lacking_shapes(struct kernels_lacking *to, const struct kernel_table *rows)
{
    bool shape = false, registers = false, arch = false;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct kernel_row *r = &rows->rows[i];
        if (r->kind != NODE_KERNEL || r->collective)
            continue;
        shape |= r->shape.grid[0] == 0 || r->shape.block[0] == 0;
        registers |= r->shape.vgprs == TRACE_UNKNOWN;
        arch |= !r->occupancy.arch;
    }
    if (shape)
        add_lacking(to, "launch shapes of some kernels: how far they fill the device is not known");
    if (registers)
        add_lacking(to, "registers of some kernels: their occupancy is an upper bound, or unknown");
    if (arch)
        add_lacking(to,
                    "the architecture of some devices, or it is not in the table: no occupancy");
}

void kernels_lacking(struct kernels_lacking *to, const struct trace *t, const struct kernels *k)
{
    char text[400];
    const struct kernels_total *all = &k->total;
    to->n = 0;
    if (all->nkernels == 0)
        add_lacking(to, "kernels: none were recorded");
    else if (!all->device)
        add_lacking(to, "devices: these kernels ran on the host, in its threads");
    if (all->nkernels && !all->host && all->counted == all->nkernels)
        add_lacking(
            to, "the program's own pace: kernels ran one at a time, for their counters; what lies "
                "between them is the profiler's");
    if (!all->host)
        add_lacking(to,
                    "calls of the host: why devices were idle, and launch latency, are not known");
    else if (all->device && !all->launches)
        add_lacking(to,
                    "launches: which call of the host started which work is not known, so nothing "
                    "is said about the host");
    add_lacking_shapes(to, &k->by[KERNELS_BY_SHAPE]);
    if (t->ncounters == 0)
        add_lacking(to, "hardware counters: what a kernel does inside is not known");
    if (trace_left_out(t, text, sizeof text))
        add_lacking(to, text);
    if (t->folded) {
        snprintf(text, sizeof text, "%" PRIu64 " short spans: only sums were kept (--max-memory)",
                 t->folded);
        add_lacking(to, text);
    }
    if (t->lost) {
        snprintf(text, sizeof text, "%" PRIu64 " older spans: only their sums were kept", t->lost);
        add_lacking(to, text);
    }
}
