/* What the files of the view of a comparison share. */
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/compare/compare.h"
#include "tui/model/view.h"

/* When the things with the name of a row ran, on one side. */
struct compare_times {
    uint8_t *hit;    /* for each name of the graph: whether it is the row's */
    uint32_t *nodes; /* spans, ordered by start */
    uint32_t n;
};
/* These times for the last drawn row. */
struct compare_lanes {
    char *id;
    uint64_t serial[2];
    struct compare_times side[2];
};
void compare_lanes_free(struct compare_lanes *kept);

/*
 * Draws both profiles over time (compare_lanes.c), one above the other, at one scale, so that the
 * n-th span of the row begins in the same column in both. *n is limited to what both sides have.
 * Without such a row, or if one side lacks it, both are drawn from their begin. zoom: the picture
 * shows 2^zoom times the length of the span.
 */
void compare_lanes_draw(struct compare_lanes *kept, struct canvas *c, struct rect r,
                        const struct shown_comparison *k, const struct compare_row *row, int *n,
                        int zoom);
/* Whether a row stands for something that ran, which other views can show. */
bool compare_row_ran(const struct compare_row *r);
