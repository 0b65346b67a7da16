/* A promise to the compiler that no larger work-groups are launched, so that it may use more
 * registers. Unlike other rewrites it is only true of launches like the one that was seen. */
#pragma once

#include "engine/rewrites/rewrites.h"

/*
 * As a rewriter. threads: of the work-groups that are launched. The first has only this bound, the
 * others ask for 2, 4 and 8 waves of a unit, too. Bounds that the function has are replaced.
 */
bool rewrite_launch_bounds(const struct syntax_tree *t, const char *function, uint32_t threads,
                           size_t number, struct rewrite *out);
