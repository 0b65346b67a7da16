/*
 * Parts of the timeline's view. What the user has set lies in view_state: `zoom` is how much time
 * the picture shows (0: all), `top` from when on, `hit` the time under the cursor (all ns since the
 * timeline's begin), `at` what it is on, `mode` how many rows lanes get.
 */
#ifndef ROOFTOP_TUI_VIEWS_TIMELINE_TIMELINE_H
#define ROOFTOP_TUI_VIEWS_TIMELINE_TIMELINE_H

#include "engine/timeline/timeline.h"
#include "tui/model/view.h"

/* --- view_state.at --- */
#define TIMELINE_AT_GROUP (1ull << 40)
static inline uint64_t timeline_at_span(uint32_t node)
{
    return 1ull + node;
}
static inline uint64_t timeline_at_group(uint32_t group)
{
    return TIMELINE_AT_GROUP | group;
}
/* The selected span, GRAPH_NONE: none. */
uint32_t timeline_selected(const struct timeline *t, const struct view_state *st);
/* Puts the cursor on a span, and opens what hides it. show: moves the window where the span, or the
 * time under the cursor, is not in it. */
void timeline_select(const struct timeline *t, struct view_state *st, uint32_t node, bool show);

/* --- which lines there are: timeline_lines.c --- */
enum timeline_mode { TIMELINE_FIT, TIMELINE_ALL, TIMELINE_MODES };
struct timeline_line {
    uint32_t group;
    uint32_t lane; /* GRAPH_NONE: the head of a group */
    uint32_t row;
    uint32_t hidden; /* rows of the lane below this one that are not shown */
    bool folded;
};
struct timeline_lines {
    struct timeline_line *lines;
    uint32_t n, cursor; /* the line that the cursor is on */
};
/* As folded and selected now, for `room` lines. Valid until the next call; made anew only where
 * something changed. */
const struct timeline_lines *timeline_lines(const struct timeline *t, const struct view_state *st,
                                            int room);
uint64_t timeline_fold_id(const struct timeline *t, uint32_t group, uint32_t lane);

/* --- window --- */
struct timeline_window {
    uint64_t from, to; /* absolute; to > from */
};
struct timeline_window timeline_window_of(const struct timeline *t, const struct view_state *st);
void timeline_set_window(const struct timeline *t, struct view_state *st, uint64_t from,
                         uint64_t width);

/* --- drawing --- */
/* Axis and lanes into r; sets rows, page, scroll. names: matches of the search, NULL none. For the
 * command line too. */
void timeline_draw_lanes(struct canvas *c, struct rect r, const struct timeline *t,
                         struct view_state *st, const struct timeline_names *names);
/* Where the cells of the picture drawn last are. */
struct rect timeline_cells_of(void);
/* All that is known of a span; rows used. */
struct trace;
int timeline_detail(struct canvas *c, struct rect r, const struct timeline *t,
                    const struct trace *trace, uint32_t node);
/* Moves; false where the action is none of ours. room: lines of lanes in the picture. */
bool timeline_act(enum action a, const struct timeline *t, struct view_state *st);

#endif
