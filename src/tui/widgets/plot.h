/*
 * A log-log plot in braille: axes with their decades, lines, and marks that are characters.
 * Coordinates are values, which must be above 0. ASCII canvases get dots.
 */
#pragma once

#include "tui/canvas/canvas.h"
#include "tui/model/view.h"

struct plot {
    double x0, x1, y0, y1; /* the visible range */
    const char *x_title, *y_title;
    bool fine;        /* axes are labelled at 2 and 5 of a decade, too */
    struct rect r;    /* the whole plot with its axes */
    struct rect area; /* set by plot_begin: the area of points */
    uint8_t *dots;    /* braille bits, area.w * area.h bytes */
    uint8_t *owner;   /* 1 + the line that set the bits of a cell, for its style */
};

/* Draws axes and labels. Returns false if r is too small for a plot. plot_end frees the memory. */
bool plot_begin(struct plot *p, struct canvas *c, struct rect r);
/* Draws y(x) for every column; no dot where y <= 0. line: 0..254, passed to `style` in plot_end. */
void plot_line(struct plot *p, int line, double (*y)(const void *ctx, double x), const void *ctx,
               bool dashed);
void plot_end(struct plot *p, struct canvas *c, struct style (*style)(const void *ctx, int line),
              const void *ctx);
/* Finds the cell of a point. Returns false if the point lies outside. */
bool plot_cell(const struct plot *p, double x, double y, int *cx, int *cy);

/*
 * Handles actions that all plots share: zoom in (up to zoom_max) and out, back to the whole, the
 * pane of details. Returns false for other actions.
 */
bool plot_act(enum action a, struct view_state *st, unsigned zoom_max);

/* Writes a power of ten with its prefix: "10", "0.1", "2k", "1G". */
void plot_number(double v, char out[16]);
