/*
 * What can be refused of a GPU's code object before it runs: another layout of arguments, registers
 * and memory beyond the device's or the thresholds, data that outlives a launch, services of the
 * host.
 */
#pragma once

#include "engine/capture/capture.h"
#include "engine/code/code_object.h"
#include "engine/judge/judge.h"

/* Numbers of a kernel for the launch of a capture. UINT32_MAX and NaN: not known. */
struct gpu_resources {
    uint32_t vgprs, agprs, sgprs, vgpr_spills, sgpr_spills;
    uint32_t lds, scratch; /* bytes: of a work-group, with the launch's dynamic part; of a lane */
    double waves;          /* occupancy: waves of a SIMD, by engine/kernels/occupancy.h */
};

struct gpu_side {
    const struct code_object *object;
    const struct code_kernel *kernel; /* of the capture's name */
};

/* captured: the captured kernel, whose own LDS the launch's dynamic part does not include. */
struct gpu_resources gpu_resources_of(const struct gpu_side *side, const struct capture *c,
                                      const struct code_kernel *captured);

/*
 * The most that a number of the candidate may be worse than the baseline's, as a share: the
 * thresholds of rocm-perf-lab for regressions (VGPRs .20, occupancy .15, LDS .30). More VGPRs and
 * LDS count only where they cost occupancy: tiles in LDS are what good kernels are made of. Scratch
 * memory and spills that the baseline does not have are refused; those it has may grow by a fifth.
 */
struct gpu_thresholds {
    double vgprs, occupancy, lds, scratch;
};
extern const struct gpu_thresholds gpu_thresholds_usual;

/*
 * Compares the candidate (side 1) with the baseline (side 0): GUARD_ARGUMENTS, GUARD_RESOURCES,
 * GUARD_STATE, GUARD_CALLS. Guards in `allow` do not object. 0, or 1 with *refused.
 */
int gpu_code_guard(const struct gpu_side side[2], const struct gpu_resources r[2],
                   const struct capture *c, const bool allow[JUDGE_GUARDS],
                   struct judge_refusal *refused);
