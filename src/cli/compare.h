/* rooftop compare: runs before and after, side by side. */
#ifndef ROOFTOP_CLI_COMPARE_H
#define ROOFTOP_CLI_COMPARE_H

#include <stdio.h>

#include "cli/options/options.h"
#include "engine/compare/compare.h"
#include "tui/canvas/canvas.h"

/* Draws the comparison as a table into c, which gets the rows that are needed. a and b: the sides
 * as the user named them. */
void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b);
/* Schema "rooftop.compare/2" (docs/COMPARE.md), and CSV with a row for each number. */
void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b);
void compare_csv(FILE *out, const struct comparison *k);

#endif
