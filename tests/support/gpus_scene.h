/* GPUs for tests of the screen. "gpus": a host with GPUs of both vendors and processes; "gpu1":
 * one server GPU; "gpuless": no GPU was found; "emulated": a test double. */
#pragma once

#include <stdbool.h>

#include "engine/live/snapshot.h"

/* Adds the scene to s; false if there is no scene of this name. */
bool gpus_scene(struct snapshot *s, const char *name, int tick);
