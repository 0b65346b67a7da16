/*
 * What a launch cannot do without, and what it did by the counts of its device. The laws hold for
 * every kernel that leaves the right memory, whatever its loads, tiles and instructions are:
 *
 * - Each line of memory in which a launch changed a byte was stored to by it.
 * - A line of an input that, changed alone, changes the baseline's answer is loaded by each launch
 *   whose answer is right: else it would be the answer without the change. Some lines are tried at
 *   random; of how many of them matter follows a lower limit for all lines (C. Clopper, E. Pearson,
 *   "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika
 *   26, 1934), which is wrong in 1 of 1000 trials at most.
 * - An instruction of a wave moves 16 bytes of each of 64 lanes at most, two lines of each (ISA,
 *   "Flat memory instructions": dwordx4), and each wave has one instruction that ends it.
 * - A launch is one dispatch.
 */
#pragma once

#include "engine/judge/judge.h"

enum { GPU_LINE = 64 }; /* bytes of a line */

struct gpu_done { /* of one launch */
    bool counted; /* false: the device has no counts, and the members below are 0 */
    uint64_t dispatches, instructions, loaded, stored; /* loaded, stored: different lines */
};

struct gpu_need {
    uint64_t waves;
    uint64_t input_lines;     /* of all inputs that can be varied */
    unsigned tried, mattered; /* lines of them: changed alone; the answer was another one */
};
extern const struct fields gpu_done_record, gpu_need_record;
/* Lines of inputs that are loaded at least. */
uint64_t gpu_need_loaded(const struct gpu_need *need);
/* The share of all that at least has a property, if `found` of `tried` random ones have it; wrong
 * with probability alpha at most. */
double gpu_share_at_least(unsigned found, unsigned tried, double alpha);

/* Compares a launch that changed memory in so many lines with what it needs: GUARD_FLOOR. 0, also
 * where nothing was counted; or 1 with *refused. */
int gpu_floor_guard(const struct gpu_need *need, uint64_t changed_lines,
                    const struct gpu_done *work, struct judge_refusal *refused);

/* The least time of such a launch in microseconds where memory moves at most so many bytes a second
 * (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52, 2009); NAN: not known. */
double gpu_floor_us(const struct gpu_need *need, uint64_t changed_lines, double bytes_per_s);
