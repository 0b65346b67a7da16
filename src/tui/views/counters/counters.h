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
extern const struct list_field counters_fields[]; /* rows: struct counters_row */

/* Fills the menu of the metric or counter with this key. */
bool counters_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);
