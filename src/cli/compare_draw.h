/* What tables of comparisons are made of. */
#ifndef ROOFTOP_CLI_COMPARE_DRAW_H
#define ROOFTOP_CLI_COMPARE_DRAW_H

#include "cli/compare.h"

/* "1.23 ms ±4%"; "n/a" without values. */
void compare_mean_text(const struct stats *s, enum unit unit, bool ascii, bool spread, char *out,
                       size_t size);
const char *compare_change_text(double change, char out[16]);
/* Of the difference, in percent of a's mean; "" where it says nothing. */
void compare_interval_text(const struct compare_row *r, char *out, size_t size);
struct style compare_row_style(const struct compare_row *r);
const char *compare_mark(enum compare_verdict v, bool ascii);
/* Rows that differ, or those that do not. */
size_t compare_count(const struct comparison *k, bool marked);

#endif
