/* How other files find a row of the counters view. */
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

/*
 * Writes the identity of a counter: "c:", its name, and a hash of set and name, because names may
 * be long and similar.
 */
void counter_key(const struct counter *k, char out[VIEW_TEXT_MAX]);
/* The counter with this key; NULL if the snapshot does not have it. */
const struct counter *counter_find(const struct snapshot *s, const char *key);
/* Fills the menu of the metric or counter with this key. */
bool counters_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);
