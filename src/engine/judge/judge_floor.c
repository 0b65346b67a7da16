#include "engine/judge/judge_floor.h"

#include <math.h>
#include <stdio.h>

static double best_flops(const struct harness *h, const struct cpu_roofs *roofs)
{
    enum cpu_type type = CPU_F32;
    double best = 0;
    for (size_t i = 0; i < harness_buffers(h); i++)
        if (h->arguments[i].type == JUDGE_FLOAT64)
            type = CPU_F64;
    for (int w = 0; w < CPU_WIDTHS; w++)
        best = fmax(best, roofs->flops[w][type].one);
    return best;
}

void judge_floor_of(struct judge_floor *out, const struct harness *h, const struct cpu_roofs *roofs)
{
    const double bytes = roofs->cpus ? roofs->bytes[CPU_L1].one : 0;
    const double flops = roofs->cpus ? best_flops(h, roofs) : 0;
    const double moving = bytes > 0 ? h->work_bytes / bytes * 1e9 : NAN;
    const double computing = flops > 0 && h->work_flops > 0 ? h->work_flops / flops * 1e9 : NAN;
    *out = (struct judge_floor){.ns = fmax(moving, computing)};
    if (roofs->cpus == 0)
        snprintf(out->why, sizeof out->why, "%.150s", roofs->none);
    else if (isnan(out->ns))
        snprintf(out->why, sizeof out->why, "the roofs of this host have none of one core");
    else if (isnan(computing) || moving >= computing)
        snprintf(out->why, sizeof out->why, "%.4g bytes at %.4g GB/s", h->work_bytes, bytes / 1e9);
    else
        snprintf(out->why, sizeof out->why, "%.4g operations at %.4g GFLOP/s", h->work_flops,
                 flops / 1e9);
}
