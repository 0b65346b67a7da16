/* The view of a thread trace: what its two halves share. */
#ifndef ROOFTOP_TUI_VIEWS_ATT_ATT_H
#define ROOFTOP_TUI_VIEWS_ATT_ATT_H

#include "engine/att/att_digest.h"
#include "tui/model/view.h"

/* States of waves over time as a stacked area, and below it when the instruction `row`
 * (ATT_UNKNOWN: none) was issued. zoom: halvings of the span around it. */
void att_draw_waves(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row,
                    int zoom);
/* Beside the list: kinds of instructions, reasons, waves on the engines. Rows it took. */
void att_draw_kinds(struct canvas *c, struct rect r, const struct att_digest *d);
/* What is known of one instruction. Rows it took, at most r.h. */
int att_draw_row(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row);

/* Fields of filters, and shares in percent: of the trace that att_fields_of named last. */
extern const struct query_field att_fields[];
void att_fields_of(const struct att_digest *d);
double att_time_share(const struct att_row *r);
double att_stall_share(const struct att_row *r); /* of the row's own time */

#endif
