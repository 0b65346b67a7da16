#include "engine/att/kernel_att.h"

#include <math.h>
#include <string.h>

#include "engine/att/att_analysis.h"
#include "engine/code/kernel_name.h"

/* Returns the mean number of cycles that an execution of a wait for memory took. A wait is only
 * what remains of the memory latency after the work done meanwhile, so this is a lower limit of
 * the latency. NaN if the trace has no such waits. */
static double memory_wait(const struct att *a)
{
    uint64_t latency = 0, hits = 0;
    uint32_t last = ATT_UNKNOWN;
    for (uint32_t i = 0; i < a->nwaits; i++) { /* waits are in the order of their lines */
        uint32_t row = att_row_of_line(a, a->waits[i].line);
        uint32_t on = att_row_of_line(a, a->waits[i].on);
        if (row == ATT_UNKNOWN || on == ATT_UNKNOWN || row == last ||
            (a->rows[on].category != ATT_VMEM && a->rows[on].category != ATT_FLAT))
            continue;
        att_add(&latency, a->rows[row].latency);
        att_add(&hits, a->rows[row].hits);
        last = row;
    }
    return hits ? (double)latency / (double)hits : NAN;
}

void kernel_att_facts(struct facts *out, const struct att *a)
{
    struct att_totals t;
    facts_unknown(out);
    att_totals(a, &t);
    struct att_weight w = att_sum_weight(&t, &t.all);
    out->v[FACT_STALL] = att_share(w.stall, w.time);
    out->v[FACT_MEM_LATENCY] = memory_wait(a);
    uint64_t all = t.all.hits;
    out->v[FACT_VALU] = att_share(t.category[ATT_VALU].hits + t.category[ATT_MATRIX].hits, all);
    out->v[FACT_VMEM] = att_share(t.category[ATT_VMEM].hits + t.category[ATT_FLAT].hits, all);
    out->v[FACT_SALU] = att_share(t.category[ATT_SALU].hits, all);
    out->v[FACT_BRANCH] = att_share(t.category[ATT_JUMP].hits, all);
}

static void add_facts(struct kernel_row *r, const struct facts *f)
{
    for (int i = 0; i < FACTS; i++)
        if (isnan(r->facts.v[i]))
            r->facts.v[i] = f->v[i];
    r->traced = true;
    r->label = bottleneck_find(SCOPE_KERNEL, &r->facts);
}

uint32_t kernels_add_att(struct kernels *k, const struct att *a)
{
    char buffer[2][KERNEL_NAME_BYTES];
    struct facts f;
    uint32_t n = 0;
    const char *full = kernel_full_name(att_kernel_name(a), buffer[0], sizeof buffer[0]);
    const char *base = kernel_base_name(att_kernel_name(a), buffer[1], sizeof buffer[1]);
    kernel_att_facts(&f, a);
    for (int g = 0; g < KERNELS_GROUPS && *full; g++)
        for (uint32_t i = 0; i < k->by[g].n; i++) {
            struct kernel_row *r = &k->by[g].rows[i];
            if (r->kind != NODE_KERNEL || strcmp(r->name, g == KERNELS_BY_BASE ? base : full) != 0)
                continue;
            add_facts(r, &f);
            n++;
        }
    return n;
}
