/* Layouts: pure functions from sizes to rectangles. A rectangle without rows is not shown. */
#ifndef ROOFTOP_TUI_MODEL_LAYOUT_H
#define ROOFTOP_TUI_MODEL_LAYOUT_H

#include "tui/canvas/canvas.h"

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
    struct rect io;                   /* swap, network, disks */
    struct rect metrics;              /* key numbers in columns */
    struct rect topdown;              /* the bar of slots, or one line that says why not */
    struct rect bricks;               /* the box of instrumented programs */
    struct rect gpus;                 /* the box of GPUs */
    struct rect procs;                /* the box of the process list */
};
/* Its boxes, as view_ops.boxes names them; those of the graphs come first. */
enum overview_box_id {
    BOX_CPU,
    BOX_MEMORY,
    BOX_GRAPH3,
    BOX_GRAPH4,
    BOX_CPUS,
    BOX_IO,
    BOX_METRICS,
    BOX_TOPDOWN,
    BOX_BRICKS,
    BOX_GPUS,
    BOX_PROCS,
    BOX_COUNT
};
/* What the layout depends on beside the size. */
struct overview_facts {
    int cpu_rows;    /* rows the CPUs want */
    int io_rows;     /* rows that swap, network and disks want */
    int nmetrics;    /* key numbers there are */
    bool topdown;    /* there is a bar of slots to draw */
    bool notice;     /* or else something to say about why not */
    bool bricks;     /* there are instrumented programs */
    int gpus;        /* how many there are */
    unsigned hidden; /* a bit each box */
    int expanded;    /* 1 + the box that has the whole view; 0 = none */
};
enum { LAYOUT_METRIC_W = 26 }; /* cells that a key number takes at least */

/* While the process list is shown, the boxes above it take at most half of the rows. */
void layout_overview(struct rect area, const struct overview_facts *f, struct overview_layout *out);

#endif
