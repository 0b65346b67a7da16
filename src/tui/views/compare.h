/* What the files of the view of comparisons share. */
#ifndef ROOFTOP_TUI_VIEWS_COMPARE_H
#define ROOFTOP_TUI_VIEWS_COMPARE_H

#include "tui/model/comparison.h"
#include "tui/model/view.h"

/* compare_lanes.c: both profiles over time, one above the other, at one scale. What the row names
 * begins in the same column in both: its nth time. n is kept within what both have; without a row
 * that runs, or that one side lacks, both from their begin on. zoom: how much more than the span is
 * seen, in powers of two. */
void compare_lanes_draw(struct canvas *c, struct rect r, const struct shown_comparison *k,
                        const struct compare_row *row, int *n, int zoom);
/* Whether a row is of something that ran, which other views can show. */
bool compare_row_ran(const struct compare_row *r);

#endif
