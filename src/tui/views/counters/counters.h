/* How a row of the counters view is known elsewhere. */
#ifndef ROOFTOP_TUI_VIEWS_COUNTERS_COUNTERS_H
#define ROOFTOP_TUI_VIEWS_COUNTERS_COUNTERS_H

#include "tui/model/view.h"

/* Exactly one of the three is set. */
struct counters_row {
    const char *heading;
    bool events; /* of a heading: it is the name of a set of events */
    const struct metric *metric;
    const struct counter *counter;
};
extern const struct query_field counters_fields[]; /* rows: struct counters_row */

/* Identity of a counter: "c:" and its name, and a hash of set and name, which may be long and
 * alike. */
void counter_key(const struct counter *k, char out[VIEW_TEXT_MAX]);
/* The one with this key, NULL when it is not in the snapshot. */
const struct counter *counter_find(const struct snapshot *s, const char *key);
/* What can be done with the metric or counter of this key. */
bool counters_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out);

#endif
