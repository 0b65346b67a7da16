/* Made-up profiles: trees of calls over a handful of functions, the same for the same seed. */
#pragma once

#include "engine/live/snapshot.h"

/* Allocated in s. */
const struct hot_stacks *profiles_random(struct snapshot *s, unsigned seed);
/* Fails the test if they differ; NULL equals only NULL. */
void profiles_assert_same(const struct hot_stacks *a, const struct hot_stacks *b);
