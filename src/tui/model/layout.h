/* Layouts: pure functions from sizes to rectangles. A rectangle with no rows is not shown. */
#pragma once

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
    /* the bar of top-down slots, or a line that says why there is none */
    struct rect topdown;
    struct rect bricks; /* the box of instrumented programs */
    struct rect gpus;   /* the box of GPUs */
    struct rect procs;  /* the box of the process list */
};
/* The boxes, named by view_ops.boxes; those of the graphs come first. */
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
/* What the layout depends on besides the size. */
struct overview_facts {
    int cpu_rows;    /* rows for the CPUs */
    int io_rows;     /* rows for swap, network and disks */
    int nmetrics;    /* number of key numbers */
    bool topdown;    /* a bar of top-down slots can be drawn */
    bool notice;     /* it cannot, and a line says why */
    bool bricks;     /* there are instrumented programs */
    int gpus;        /* number of GPUs */
    bool narrow;     /* three graphs side by side from 78 cells on: their titles are short */
    unsigned hidden; /* hidden boxes, one bit each */
    int expanded;    /* 1 + the box that fills the view; 0 = none */
};
enum { LAYOUT_METRIC_W = 26 }; /* minimum cells of a key number */

/* While the process list is shown, the boxes above it take at most half of the rows. */
void layout_overview(struct rect area, const struct overview_facts *f, struct overview_layout *out);
