/* A profile of a GPU made up for tests: what PyTorch's profiler would write of a short training
 * loop, as a file, and opened. The same at every run. */
#ifndef TESTS_SUPPORT_PROFILE_SCENE_H
#define TESTS_SUPPORT_PROFILE_SCENE_H

#include "engine/analysis/analysis.h"

/* Its text as JSON; free it. softmax: how long that kernel takes, times; seed: of the jitter;
 * known: the GPU's properties are in it. */
char *profile_scene_text(double softmax, unsigned seed, bool known);
/* Opened, close it with analysis_close; fails the test where it cannot be. */
void profile_scene_open(struct analysis *a, double softmax, unsigned seed);
/* One for the screen, opened once and kept. */
const struct analysis *profile_scene(void);

#endif
