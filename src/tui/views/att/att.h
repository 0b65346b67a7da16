/* What the two halves of the view of thread traces share. */
#ifndef ROOFTOP_TUI_VIEWS_ATT_ATT_H
#define ROOFTOP_TUI_VIEWS_ATT_ATT_H

#include "engine/att/att_digest.h"
#include "tui/model/view.h"

/*
 * Draws the states of waves over time as a stacked area, and below it when the instruction `row`
 * was issued (ATT_UNKNOWN: none). zoom: how many times the time around it is halved.
 */
void att_draw_waves(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row,
                    int zoom);
/*
 * Draws kinds of instructions, reasons for stalls and waves per engine beside the list. Returns the
 * number of rows.
 */
void att_draw_kinds(struct canvas *c, struct rect r, const struct att_digest *d);
/* Draws everything known about one instruction. Returns the number of rows, at most r.h. */
int att_draw_row(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row);

/* Fields of filters, and shares in percent, of the trace that was last passed to att_fields_of. */
extern const struct query_field att_fields[];
void att_fields_of(const struct att_digest *d);
double att_time_share(const struct att_row *r);
double att_stall_share(const struct att_row *r); /* in percent of the row's own time */

#endif
