/* Where things stand: pure functions from sizes to rectangles. A rectangle without rows is not
 * shown. */
#ifndef ROOFTOP_TUI_LAYOUT_H
#define ROOFTOP_TUI_LAYOUT_H

#include "tui/canvas.h"

enum { LAYOUT_MIN_COLS = 40, LAYOUT_MIN_ROWS = 10, LAYOUT_GRAPHS = 4 };

/* The screen: one row of tabs, the view, one row of keys. */
struct screen_layout {
    struct rect tabs, view, footer;
};
void layout_screen(int cols, int rows, struct screen_layout *out);

/* The overview inside the view's area. */
struct overview_layout {
    struct rect host;                 /* one line about the machine */
    struct rect graph[LAYOUT_GRAPHS]; /* boxes side by side; those without rows are not drawn */
    struct rect cpus;                 /* meters or the heat map, and a line of legend */
    struct rect metrics;              /* key numbers in columns */
    struct rect topdown;              /* the bar of slots, or one line that says why not */
    struct rect procs;                /* the box of the process list */
};
/*
 * topdown: is there a bar to draw; notice: is there something to say when there is not. What stands
 * above the process list takes at most half of the rows.
 */
void layout_overview(struct rect area, int ncpus, bool topdown, bool notice,
                     struct overview_layout *out);

#endif
