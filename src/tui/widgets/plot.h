/*
 * A log-log plot in braille: axes with their decades, lines, marks that are characters. Coordinates
 * are the values themselves; all must be above 0. ASCII canvases draw dots.
 */
#ifndef ROOFTOP_TUI_WIDGETS_PLOT_H
#define ROOFTOP_TUI_WIDGETS_PLOT_H

#include "tui/canvas/canvas.h"
#include "tui/model/view.h"

struct plot {
    double x0, x1, y0, y1; /* the range shown */
    const char *x_title, *y_title;
    struct rect r;    /* of the whole, axes included */
    struct rect area; /* set by plot_begin: where points lie */
    uint8_t *dots;    /* braille bits, area.w * area.h */
    uint8_t *owner;   /* which line set them, for its style: 1 + index */
};

/* Draws axes and labels; false where r is too small for a plot. plot_end frees what it took. */
bool plot_begin(struct plot *p, struct canvas *c, struct rect r);
/* y of x, for every column; line: 0..254, given back to `style` in plot_end. y <= 0: no dot. */
void plot_line(struct plot *p, int line, double (*y)(const void *ctx, double x), const void *ctx,
               bool dashed);
void plot_end(struct plot *p, struct canvas *c, struct style (*style)(int line));
/* The cell of a point; false where it lies outside. */
bool plot_cell(const struct plot *p, double x, double y, int *cx, int *cy);

/* Handles actions that all plots share: zoom in and out up to zoom_max, back to the whole, the pane
 * of details. false if the action is another one. */
bool plot_act(enum action a, struct view_state *st, unsigned zoom_max);

/* "10", "0.1", "2k", "1G": a power of ten with its prefix. */
void plot_number(double v, char out[16]);

#endif
