/* Profiles made up for tests: random ones, and a program's as the screen would show it. */
#ifndef TESTS_SUPPORT_PROFILES_H
#define TESTS_SUPPORT_PROFILES_H

#include "base/arena.h"
#include "engine/hot/profile.h"

/* nsymbols different functions at most, stacks of up to `depth` frames; the same for the same seed.
 */
struct profile *random_profile(struct arena *a, unsigned seed, int nsymbols, int nstacks,
                               int depth);
/* A matrix program with a library, the kernel, a JIT and inlined frames. tick: 0, 1, 2 … seconds.
 * hostile: names that try to break the screen. */
struct profile *scene_profile(struct arena *a, int tick, bool hostile);

#endif
