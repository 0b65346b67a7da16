/* Computes the facts for the rules of bottlenecks from a row of the table of kernels. */
#include <math.h>

#include "engine/kernels/kernel_parts.h"

static double share_of_path(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* The share of a call's wait in wait plus own time, from the means of measured calls. */
static double wait_share(uint64_t sum, uint64_t n, double mean)
{
    double wait = n ? (double)sum / (double)n : NAN;
    return wait + mean > 0 ? wait / (wait + mean) : NAN;
}

static void from_shape(struct facts *f, const struct kernel_row *r, const struct trace_agent *agent)
{
    const struct occupancy *o = &r->occupancy;
    const struct kernel_shape *s = &r->shape;
    if (isnan(o->waves))
        return;
    if (o->complete || o->limit == OCCUPANCY_VGPRS || o->limit == OCCUPANCY_LDS) {
        f->v[FACT_OCCUPANCY] = o->waves / o->most;
        f->v[FACT_BY_VGPRS] = o->limit == OCCUPANCY_VGPRS;
        f->v[FACT_BY_LDS] = o->limit == OCCUPANCY_LDS;
    }
    double block = (double)s->block[0] * s->block[1] * s->block[2];
    double grid = (double)s->grid[0] * s->grid[1] * s->grid[2];
    if (!agent || agent->units == TRACE_UNKNOWN || agent->units == 0 || !(grid > 0))
        return;
    double room = (double)agent->units * o->arch->simds * o->waves;
    f->v[FACT_UNITS] = fmin(1, grid / agent->units);
    f->v[FACT_FILL] = fmin(1, grid * ceil(block / o->arch->wave) / room);
}

static void from_counters(struct facts *f, const struct kernel_row *r)
{
    const double *c = r->counts.counter;
    double all = c[COUNTER_VALU] + c[COUNTER_SALU] + c[COUNTER_SMEM] + c[COUNTER_VMEM] +
                 c[COUNTER_LDS] + c[COUNTER_BRANCH];
    if (c[COUNTER_WAVE_CYCLES] > 0)
        f->v[FACT_STALL] = c[COUNTER_WAIT_ANY] / c[COUNTER_WAVE_CYCLES];
    if (all > 0) { /* all numbers are known */
        f->v[FACT_VALU] = c[COUNTER_VALU] / all;
        f->v[FACT_VMEM] = c[COUNTER_VMEM] / all;
        f->v[FACT_SALU] = c[COUNTER_SALU] / all;
        f->v[FACT_BRANCH] = c[COUNTER_BRANCH] / all;
    }
}

/* The shares of the peaks that its operations and bytes reach. The shares of several types add up,
 * because a unit does one type at a time. Types that were not counted are left out; a type without
 * a known peak makes the share unknown. */
static void from_work(struct facts *f, const struct kernel_row *r, const struct kernel_peaks *p)
{
    double compute = 0, memory = r->counts.bytes_s[LEVEL_HBM] / p->bytes;
    bool any = false;
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++) {
            double ops = r->counts.ops_s[u][i];
            any |= ops >= 0;
            compute += ops > 0 ? ops / p->ops[u][i] : 0;
        }
    f->v[FACT_FLOPS] = any ? compute : NAN;
    f->v[FACT_BYTES] = memory;
    f->v[FACT_RIDGE] = memory > 0 ? f->v[FACT_FLOPS] / memory : NAN;
}

void kernel_facts_of(struct facts *out, const struct kernel_row *r, const struct trace_agent *agent,
                     const struct kernel_peaks *peaks)
{
    facts_unknown(out);
    out->v[FACT_MEAN] = r->mean / 1e9;
    out->v[FACT_CRITICALITY] = r->criticality;
    /* The profiler serialises dispatches whose counters it reads, so pauses are caused by the
     * profiler. */
    if (!r->counts.dispatches || r->sum.launched)
        out->v[FACT_GAP] = wait_share(r->sum.gap, r->sum.followers, r->mean);
    /* waits for other work, which neither the host nor the launch explains */
    const double beside = r->mean + (double)r->sum.waited / (double)r->sum.launched;
    out->v[FACT_LATE] = wait_share(r->sum.late, r->sum.launched, beside);
    out->v[FACT_LAUNCH] = wait_share(r->sum.latency, r->sum.launched, beside);
    if (r->collective) {
        out->v[FACT_EXPOSED] = share_of_path(r->sum.exposed, r->sum.total);
        out->v[FACT_PEER] = share_of_path(r->sum.slower, r->sum.compared);
        return; /* the collective's shape and what it waits for are no property of its code */
    }
    if (r->kind != NODE_KERNEL)
        return;
    from_shape(out, r, agent);
    from_counters(out, r);
    if (peaks)
        from_work(out, r, peaks);
}

/* What twice the speed of a kind saves, as a share of the path; 0 where another kind saves more
 * than twice that share plus 0.1. */
static void find_kind_savings(struct facts *out, const struct kernels_total *t)
{
    static const uint8_t kinds[PATH_GAINS] = {[GAIN_DEVICE] = FACT_SAVES_DEVICE,
                                              [GAIN_COPY] = FACT_SAVES_COPY,
                                              [GAIN_COMMUNICATION] = FACT_SAVES_COMM,
                                              [GAIN_HOST] = FACT_SAVES_HOST};
    const double near = 0.1;
    double best = 0;
    for (int k = 0; k < PATH_GAINS; k++)
        best = fmax(best, share_of_path(t->gain[k], t->path));
    for (int k = 0; k < PATH_GAINS; k++) {
        double saves = share_of_path(t->gain[k], t->path);
        out->v[kinds[k]] = best > 2 * saves + near ? 0 : saves;
    }
}

void kernel_facts_of_profile(struct facts *out, const struct kernels_total *t)
{
    uint64_t wall = t->wall;
    facts_unknown(out);
    if (t->host || t->counted < t->nkernels) /* as for the gaps above */
        out->v[FACT_IDLE] = share_of_path(kernels_idle(t), wall);
    out->v[FACT_COPY_ALONE] = share_of_path(t->copying, wall);
    out->v[FACT_COMM_ALONE] = share_of_path(t->exposed, wall);
    out->v[FACT_SHORT] = share_of_path(t->shorts, t->nkernels);
    out->v[FACT_PATH_COPY] = share_of_path(t->on_path[PATH_COPY], t->path);
    find_kind_savings(out, t);
    if (!t->host ||
        !t->launches) /* without launches, the host's share or its effect on devices is unknown */
        return;
    out->v[FACT_PATH_LAUNCH] = share_of_path(t->on_path[PATH_LATENCY], t->path);
    out->v[FACT_PATH_HOST] =
        share_of_path(t->on_path[PATH_HOST] + t->on_path[PATH_UNKNOWN], t->path);
}
