#include "engine/judge_gpu/gpu_floor.h"

#include <math.h>

#include "engine/value/record_rows.h"

/* 16 bytes of a lane lie in two lines at most. */
enum { LINES_OF_AN_INSTRUCTION = 2 * 64, STEPS = 60 };
static const double ALPHA = 0.001;

#define TYPE struct gpu_done
const struct fields gpu_done_record =
    RECORD_OF(ROW(U64, dispatches), ROW(U64, instructions), ROW(U64, loaded), ROW(U64, stored));
#undef TYPE

#define TYPE struct gpu_need
const struct fields gpu_need_record =
    RECORD_OF(ROW(U64, waves), ROW(U64, input_lines), ROW(U32, tried), ROW(U32, mattered));
#undef TYPE

/* The probability that at least `found` of `tried` have a property which a share of all has. */
static double at_least(unsigned found, unsigned tried, double share)
{
    double sum = 0, term = pow(1 - share, tried); /* of exactly 0 */
    for (unsigned k = 0; k < found; k++) {
        sum += term;
        term *= (double)(tried - k) / (k + 1) * share / (1 - share);
    }
    return 1 - sum;
}

double gpu_share_at_least(unsigned found, unsigned tried, double alpha)
{
    double low = 0, high = 1;
    if (found == 0 || found > tried)
        return 0;
    if (found == tried)
        return pow(alpha, 1.0 / tried);
    for (int i = 0; i < STEPS; i++) {
        const double middle = (low + high) / 2;
        if (at_least(found, tried, middle) < alpha)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t gpu_need_loaded(const struct gpu_need *need)
{
    const double share = gpu_share_at_least(need->mattered, need->tried, ALPHA);
    const uint64_t by_share = (uint64_t)floor(share * (double)need->input_lines);
    return by_share ? by_share : need->mattered > 0;
}

int gpu_floor_guard(const struct gpu_need *need, uint64_t changed_lines,
                    const struct gpu_done *work, struct judge_refusal *refused)
{
    const uint64_t loaded = gpu_need_loaded(need);
    const uint64_t instructions = need->waves + (loaded + changed_lines) / LINES_OF_AN_INSTRUCTION;
    if (!work->counted)
        return 0;
    if (work->dispatches != 1)
        return judge_refuse(refused, GUARD_FLOOR, "a launch was %llu dispatches of the GPU, not 1",
                            (unsigned long long)work->dispatches);
    if (work->stored < changed_lines)
        return judge_refuse(refused, GUARD_FLOOR,
                            "memory changed in %llu lines of %d bytes, its instructions stored to "
                            "%llu",
                            (unsigned long long)changed_lines, GPU_LINE,
                            (unsigned long long)work->stored);
    if (work->loaded < loaded)
        return judge_refuse(
            refused, GUARD_FLOOR,
            "it loaded %llu lines of %d bytes, but the right answer depends on %llu "
            "lines of its inputs at least",
            (unsigned long long)work->loaded, GPU_LINE, (unsigned long long)loaded);
    if (work->instructions < instructions)
        return judge_refuse(refused, GUARD_FLOOR,
                            "it executed %llu instructions of waves; its %llu waves need %llu at "
                            "least to touch these lines",
                            (unsigned long long)work->instructions, (unsigned long long)need->waves,
                            (unsigned long long)instructions);
    return 0;
}

double gpu_floor_us(const struct gpu_need *need, uint64_t changed_lines, double bytes_per_s)
{
    const double lines = (double)(gpu_need_loaded(need) + changed_lines);
    return bytes_per_s > 0 && lines > 0 ? lines * GPU_LINE / bytes_per_s * 1e6 : NAN;
}
