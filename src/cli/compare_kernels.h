/* rooftop compare of two profiles. */
#ifndef ROOFTOP_CLI_COMPARE_KERNELS_H
#define ROOFTOP_CLI_COMPARE_KERNELS_H

#include "cli/options.h"
#include "engine/kernels_compare.h"
#include "tui/canvas.h"

int compare_profiles(const struct options *o, struct error *err);
/* As a table in c, which gets the rows it needs. */
void compare_kernels_draw(struct canvas *c, int cols, const struct kernels_comparison *k,
                          const char *a, const char *b);

#endif
