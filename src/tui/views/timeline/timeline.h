/*
 * What the files of the timeline's view share. The user's settings are in view_state: `zoom` is the
 * time that the picture shows (0: all), `top` where it begins, `hit` the time under the cursor (all
 * in ns since the begin of the timeline), `at` what the cursor is on, `mode` how many rows a lane
 * gets.
 */
#pragma once

#include "engine/timeline/timeline.h"
#include "engine/timeline/timeline_live.h"
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
/* The selected span; GRAPH_NONE if there is none. */
uint32_t timeline_selected(const struct timeline *t, const struct view_state *st);
/*
 * Puts the cursor on a span and unfolds what hides it. show: also moves the window so that it
 * contains the span or the time under the cursor.
 */
void timeline_select(const struct timeline *t, struct view_state *st, uint32_t node, bool show);

/* --- the lines of the picture: timeline_lines.c --- */
enum timeline_mode { TIMELINE_FIT, TIMELINE_ALL, TIMELINE_MODES };
struct timeline_line {
    uint32_t group;
    uint32_t lane; /* GRAPH_NONE: the heading of a group */
    uint32_t row;
    uint32_t hidden; /* number of the lane's rows that are left out below this one */
    bool folded;
};
struct timeline_lines {
    struct timeline_line *lines;
    uint32_t n, cursor; /* the line that the cursor is on */
};

/* --- view_state.own --- */

struct timeline_found { /* names that the search matches */
    struct timeline_names names;
    uint64_t serial;
    char text[VIEW_TEXT_MAX];
    struct timeline_hit hit;
    struct error wrong;
};
struct timeline_running { /* the last pass of the running program, kept until there is a new one */
    struct timeline_live live;
    const struct snapshot *of;
    uint64_t seq, start, wall;
    uint32_t nspans;
};
struct timeline_cursor { /* the span under the cursor, to find its equivalent in the next pass */
    char name[128], lane[64];
    uint64_t serial;
};
struct timeline_shown { /* the lines, and the settings that they were computed from */
    struct timeline_lines l;
    uint32_t cap;
    uint64_t serial, at;
    uint64_t folded[VIEW_FOLDED_MAX];
    int mode, room;
    bool made;
};
struct timeline_state {
    struct timeline_found found;
    struct timeline_running running;
    struct timeline_cursor cursor;
    struct timeline_shown shown;
    struct rect cells; /* place of the cells in the last picture */
};
extern const struct view_ops view_timeline;

/*
 * The lines as they are folded and selected now, if `room` lines fit. Valid until the next call,
 * which computes them again only if something changed.
 */
const struct timeline_lines *timeline_lines(const struct timeline *t, const struct view_state *st,
                                            int room);
uint64_t timeline_fold_id(const struct timeline *t, uint32_t group, uint32_t lane);

/* --- window --- */
struct timeline_window {
    uint64_t from, to; /* in the clock of the timeline; to > from */
};
struct timeline_window timeline_window_of(const struct timeline *t, const struct view_state *st);
void timeline_set_window(const struct timeline *t, struct view_state *st, uint64_t from,
                         uint64_t width);

/* --- drawing --- */
/*
 * Draws the axis and the lanes into r; sets rows, page and scroll. names: matches of the search;
 * NULL: none. `rooftop report timeline` uses it too, with a state of view_state_begin.
 */
void timeline_draw_lanes(struct canvas *c, struct rect r, const struct timeline *t,
                         struct view_state *st, const struct timeline_names *names);
/* Draws what leads to the selected span and away from it, over lanes that are drawn already. */
void timeline_draw_arrows(struct canvas *c, struct rect cells, const struct timeline *t,
                          const struct view_state *st, const struct timeline_lines *l);
/* Draws everything known about a span. Returns the number of rows. */
struct trace;
int timeline_detail(struct canvas *c, struct rect r, const struct timeline *t,
                    const struct trace *trace, uint32_t node);
/* Handles moving. Returns false for other actions. room: the number of lines for lanes. */
bool timeline_act(enum action a, const struct timeline *t, struct view_state *st);
