#include "engine/judge/judge_floor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    char work[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];
    *out = (struct judge_floor){.ns = fmax(moving, computing)};
    if (roofs->cpus == 0)
        snprintf(out->why, sizeof out->why, "%.150s", roofs->none);
    else if (isnan(out->ns))
        snprintf(out->why, sizeof out->why, "the roofs of this host have none of one core");
    else if (isnan(computing) || moving >= computing)
        snprintf(out->why, sizeof out->why, "%s at %s",
                 value_text(h->work_bytes, UNIT_BYTES, true, work),
                 value_text(bytes, UNIT_BYTES_PER_S, true, rate));
    else
        snprintf(out->why, sizeof out->why, "%s operations at %s",
                 value_text(h->work_flops, UNIT_COUNT, true, work),
                 value_text(flops, UNIT_FLOP_PER_S, true, rate));
}

/* All of an output that is no input has to be written: it holds patterns that are no answer. The
 * result is returned, not stored. */
static double bytes_written(const struct harness *h)
{
    double bytes = 0;
    for (size_t i = 0; i < h->n; i++)
        if (h->arguments[i].array && !judge_is_input(&h->arguments[i]))
            bytes += (double)judge_bytes(&h->arguments[i]);
    return bytes;
}

/* "2048 operations at 16" and so on; returns how many instructions. */
static double share_of(double work, double most, const char *what, struct judge_need *out)
{
    const size_t n = strlen(out->why);
    if (!(work > 0) || !(most > 0))
        return 0;
    snprintf(out->why + n, sizeof out->why - n, "%s%.4g %s at %.4g an instruction", n ? ", " : "",
             work, what, most);
    return work / most;
}

void judge_need_of(struct judge_need *out, const struct harness *h,
                   const struct judge_instruction *cpu)
{
    *out = (struct judge_need){.instructions = h->work_instructions};
    if (h->work_instructions > 0) {
        snprintf(out->why, sizeof out->why, "the instructions that the harness says");
        return;
    }
    const double written = bytes_written(h);
    out->instructions = share_of(h->work_flops, cpu->operations, "operations", out);
    out->instructions += share_of(written, cpu->stored, "bytes stored", out);
    const size_t n = strlen(out->why);
    if (out->instructions > 0) {
        snprintf(out->why + n, sizeof out->why - n, " (%s)", cpu->name);
        return;
    }
    out->instructions = NAN;
    snprintf(out->why, sizeof out->why, "the harness says neither instructions nor flops%s%.110s",
             written > 0 && cpu->no_stores ? "; " : "",
             written > 0 && cpu->no_stores ? cpu->no_stores : "");
    if (h->work_flops > 0 && cpu->no_operations)
        snprintf(out->why, sizeof out->why, "%.150s", cpu->no_operations);
}
