/* GPUs for the screen: "gpus": a host of both vendors with processes; "gpu1": one server GPU;
 * "gpuless": nothing was found; "emulated": a test double. */
#ifndef TESTS_SUPPORT_GPUS_SCENE_H
#define TESTS_SUPPORT_GPUS_SCENE_H

#include <stdbool.h>

#include "engine/live/snapshot.h"

/* Adds to s what the scene has; false where it is none of these. */
bool gpus_scene(struct snapshot *s, const char *name, int tick);

#endif
