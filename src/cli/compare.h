/* rooftop compare: two sessions, or two profiles, side by side. */
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

/* What both kinds share: the width of the table, the table as text, and printing it. */
typedef void (*compare_drawer)(struct canvas *c, int cols, const void *k, const char *a,
                               const char *b);
int compare_cols(const struct options *o);
int compare_render(const struct options *o, compare_drawer drawer, const void *k, char **text,
                   size_t *len, struct error *err);
int compare_print(const struct options *o, const char *text, size_t len, struct error *err);

#endif
