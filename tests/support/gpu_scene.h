/* A profile of a GPU with counters, opened, for the screen: gpu_profile_mi300x. */
#ifndef TESTS_SUPPORT_GPU_SCENE_H
#define TESTS_SUPPORT_GPU_SCENE_H

#include "engine/analysis/analysis.h"

/* The same at every call; freed at exit. */
const struct analysis *gpu_scene(void);

#endif
