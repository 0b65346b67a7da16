/* What the files of the view of comparisons share. */
#ifndef ROOFTOP_TUI_VIEWS_COMPARE_H
#define ROOFTOP_TUI_VIEWS_COMPARE_H

#include "tui/model/comparison.h"
#include "tui/model/view.h"

/*
 * Draws both profiles over time (compare_lanes.c), one above the other, at one scale, so that the
 * n-th span of the row begins in the same column in both. *n is limited to what both sides have.
 * Without such a row, or if one side lacks it, both are drawn from their begin. zoom: the picture
 * shows 2^zoom times the length of the span.
 */
void compare_lanes_draw(struct canvas *c, struct rect r, const struct shown_comparison *k,
                        const struct compare_row *row, int *n, int zoom);
/* Whether a row stands for something that ran, which other views can show. */
bool compare_row_ran(const struct compare_row *r);

#endif
