/*
 * A line of history as a filled braille area (two samples a cell, four levels a row) with axes and
 * numbers.
 */
#ifndef ROOFTOP_TUI_WIDGETS_AREA_H
#define ROOFTOP_TUI_WIDGETS_AREA_H

#include "tui/canvas/canvas.h"

struct area {
    const float *v; /* n samples, oldest first; NaN = not measured: a gap */
    size_t n;
    double max;           /* top of the scale; 0 = from the data */
    enum unit unit;       /* of the labels */
    enum style_role role; /* a gradient; its level follows the value */
    double span_s;        /* how far back the left edge lies; 0 = no time axis */
    const char *end;      /* what the right edge is called; NULL = "now" */
};

/* Cells left of the plot that the labels of area_draw take. */
enum { AREA_LABEL_W = 7 };

void area_draw(struct canvas *c, struct rect r, const struct area *g);
/* How many samples the plot of a graph in r shows. */
size_t area_samples(struct rect r);
/* One row, no axes: eight levels a cell, newest at the right. */
void sparkline_draw(struct canvas *c, int x, int y, int w, const float *v, size_t n, double max,
                    enum style_role role);
/* A round number at or above v: 1, 2, 5 times a power of ten (of two for bytes). */
double area_ceiling(double v, enum unit unit);

#endif
