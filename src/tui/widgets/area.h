/*
 * A filled braille area of a value over time (two samples per cell, four levels per row), with axes
 * and numbers.
 */
#pragma once

#include "tui/canvas/canvas.h"

struct area {
    const float *v; /* n samples, the oldest first; NaN = not measured, drawn as a gap */
    size_t n;
    double max;     /* top of the scale; 0 = chosen from the data */
    double limit;   /* the most that the value can be: its hue is its share of this; 0 = max */
    enum unit unit; /* of the labels */
    enum style_role role; /* a gradient; one level of it where no limit is known */
    double span_s;        /* seconds from the left edge to the right one; 0 = no time axis */
    const char *end;      /* label of the right edge; NULL = "now" */
};

/* Cells that the labels of area_draw take left of the plot: "512 MiB" and the axis. */
enum { AREA_LABEL_W = 8 };

void area_draw(struct canvas *c, struct rect r, const struct area *g);
/* The number of samples that fit into the plot of a graph in r. */
size_t area_samples(struct rect r);
/* Draws one row without axes: eight levels per cell, the newest sample on the right. max: the most
 * that the value can be, which its hue is a share of; 0: the highest sample, and one hue. */
void sparkline_draw(struct canvas *c, int x, int y, int w, const float *v, size_t n, double max,
                    enum style_role role);
