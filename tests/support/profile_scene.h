/* A made-up GPU profile: what PyTorch's profiler would write for a short training loop, as a file
 * and opened. The same in every run. */
#pragma once

#include "engine/analysis/analysis.h"

/* Its text as JSON; the caller frees it. softmax: factor for the duration of that kernel; seed:
 * for the jitter; known: the GPU's properties are included. */
char *profile_scene_text(double softmax, unsigned seed, bool known);
/* Opens it; fails the test if that fails. Close it with analysis_close. */
void profile_scene_open(struct analysis *a, double softmax, unsigned seed);
/* One for tests of the screen, opened once and kept. */
const struct analysis *profile_scene(void);
