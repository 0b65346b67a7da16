/* Made-up CPU profiles: random ones, and one of a program for tests of the screen. */
#pragma once

#include "base/arena.h"
#include "engine/functions/hot_stacks.h"

/* A profile with at most nsymbols functions and stacks of up to `depth` frames; the same for the
 * same seed. */
struct hot_stacks *random_stacks(struct arena *a, unsigned seed, int nsymbols, int nstacks,
                                 int depth);
/* A matrix program with a library, kernel functions, JIT code and inlined frames. tick: seconds 0,
 * 1, 2 …; hostile: with names that try to break the screen. */
struct hot_stacks *scene_stacks(struct arena *a, int tick, bool hostile);
