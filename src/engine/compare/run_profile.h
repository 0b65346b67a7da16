/* Makes a run from a GPU profile, or from a recording of bricks. */
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/compare/run.h"

/* Adds times, bricks, kernels and copies. group: how launches are grouped to kernels. part: a is
 * only a part of the profile (window.h). */
void run_of_profile(struct run *out, const struct analysis *a, enum kernels_group group, bool part);
