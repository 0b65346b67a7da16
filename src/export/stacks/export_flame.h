/* A profile as a flame graph: an SVG picture with the outermost callers above. */
#pragma once

#include <stdio.h>

#include "engine/functions/hot_stacks.h"

/* The width of a box is its share of all samples, with its callees'. Calls that are narrower than
 * a pixel are left out. A tooltip has the whole name, the number and the share. */
void export_flame(FILE *out, const struct hot_stacks *p);
/* The same of `after`. Red: a larger share than in `before`, blue: a smaller one, both the darker
 * the larger the difference in percent of all samples. Calls that `after` no longer has are counted
 * in the first line. */
void export_flame_difference(FILE *out, const struct hot_stacks *before,
                             const struct hot_stacks *after);
