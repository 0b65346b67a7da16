/* An opened GPU profile with counters (gpu_profile_mi300x), for tests of the screen. */
#ifndef TESTS_SUPPORT_GPU_SCENE_H
#define TESTS_SUPPORT_GPU_SCENE_H

#include "engine/analysis/analysis.h"

/* Returns the same one at every call; freed at exit. */
const struct analysis *gpu_scene(void);

#endif
