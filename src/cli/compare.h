/* rooftop compare: two sessions side by side. */
#ifndef ROOFTOP_CLI_COMPARE_H
#define ROOFTOP_CLI_COMPARE_H

#include "cli/options.h"
#include "engine/compare.h"
#include "tui/canvas.h"

int compare_run(struct options *o);
/* As a table in c, which gets the rows it needs; and as a document (free it). */
void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b);
char *compare_json(const struct comparison *k, const char *a, const char *b);

#endif
