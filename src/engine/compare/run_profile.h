/* A run from a profile of a GPU, or from what programs with bricks recorded. */
#ifndef ROOFTOP_ENGINE_COMPARE_RUN_PROFILE_H
#define ROOFTOP_ENGINE_COMPARE_RUN_PROFILE_H

#include "engine/analysis/analysis.h"
#include "engine/compare/run.h"

/* Its times, bricks, kernels and copies; group: what is one kernel; part: it is not all of the
 * profile (window.h). */
void run_of_profile(struct run *out, const struct analysis *a, enum kernels_group group, bool part);

#endif
