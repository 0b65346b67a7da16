/* What the files of the counters view share. */
#pragma once

#include "tui/model/view.h"

/* A row; exactly one of the three pointers is set. */
struct counters_row {
    const char *heading;
    bool events; /* the row is the heading of a set of events */
    const struct metric *metric;
    const struct counter *counter;
};
struct counters_state { /* view_state.own: the rows; the array is reused from picture to picture */
    struct counters_row *rows;
    size_t n, cap;
};
/* The boxes, named by view_ops.boxes. */
enum counters_part { PART_METRICS, PART_EVENTS, PART_ABSENT, PART_PORTS };
enum counters_order { SORT_SECTIONS, SORT_NAME, SORT_SHARE, SORTS };

/* Makes the rows anew, as the filter, the boxes and the order want them. */
void counters_collect(struct counters_state *k, const struct snapshot *s,
                      const struct view_state *st);
const char *counters_row_name(const struct counters_row *r);
/* The value of a row, which is no heading. */
const struct value *counters_row_value(const struct counters_row *r);
/* The event that a metric is the rate of; NULL: it is computed otherwise. */
const struct counter *counters_event_of(const struct snapshot *s, const struct metric *v);
extern const struct list_field counters_fields[]; /* rows: struct counters_row */

/* Fills the menu of the metric or counter with this key. */
bool counters_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);
