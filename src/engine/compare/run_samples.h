/* Makes a run from the samples of a CPU profiler's file. */
#pragma once

#include "engine/compare/run.h"
#include "engine/functions/hot_profile.h"

enum { RUN_FUNCTIONS_MOST = 500 };
/* Adds the share of each function itself, "f:FUNCTION" in % of all samples, for the
 * RUN_FUNCTIONS_MOST largest. Functions of one name are added. */
void run_of_samples(struct run *out, const struct hot_profile *p);
