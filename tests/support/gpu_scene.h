/* An opened GPU profile with counters (gpu_profile_mi300x), for tests of the screen. */
#pragma once

#include "engine/analysis/analysis.h"

/* Returns the same one at every call; freed at exit. */
const struct analysis *gpu_scene(void);
