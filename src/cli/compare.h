/* rooftop compare: runs before and after, side by side. */
#ifndef ROOFTOP_CLI_COMPARE_H
#define ROOFTOP_CLI_COMPARE_H

#include <stdio.h>

#include "cli/options/options.h"
#include "engine/compare/compare.h"
#include "tui/canvas/canvas.h"

/* As a table in c, which gets the rows it needs; a and b: the sides as they were given. */
void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b);
/* Schema "rooftop.compare/2" (docs/COMPARE.md); and a row a number. */
void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b);
void compare_csv(FILE *out, const struct comparison *k);

#endif
