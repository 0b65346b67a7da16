/* What the two halves of the view of thread traces share. */
#pragma once

#include "engine/att/att_digest.h"
#include "tui/model/view.h"

enum { ATT_PARTS_MAX = 512 };
/* The last picture of the waves. It is computed again when something changes. */
struct att_plot {
    const struct att_digest *d;
    uint64_t id;
    uint32_t row, n;
    int zoom;
    int64_t from, to;
    enum att_states_from source;
    double states[ATT_PARTS_MAX][ATT_STATES], issues[ATT_PARTS_MAX];
    uint64_t cycles[ATT_STATES], issued;
    double most, most_issues; /* largest values of a part */
};

/*
 * Draws the states of waves over time as a stacked area, and below it when the instruction `row`
 * was issued (ATT_UNKNOWN: none). zoom: how many times the time around it is halved.
 */
void att_draw_waves(struct att_plot *now, struct canvas *c, struct rect r,
                    const struct att_digest *d, uint32_t row, int zoom);
/*
 * Draws kinds of instructions, reasons for stalls and waves per engine beside the list. Returns the
 * number of rows.
 */
void att_draw_kinds(struct canvas *c, struct rect r, const struct att_digest *d);
/* Draws everything known about one instruction. Returns the number of rows, at most r.h. */
int att_draw_row(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row);
