/* Made-up instrumented programs in a snapshot, the same on every machine: a transformer that runs,
 * a loader that has ended, and one that crashed. tick: numbers grow with it. */
#pragma once

#include "engine/live/snapshot.h"

void brick_scene(struct snapshot *s, int tick);
