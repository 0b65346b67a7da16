/*
 * Meters, stacked bars and the heat map of CPUs: shares drawn as lengths or shades. Each has a
 * number beside it.
 */
#pragma once

#include "engine/live/snapshot.h"
#include "tui/canvas/canvas.h"

/* Draws a bar of w cells filled by percent. An unknown value is an empty bar of dots. */
void meter_draw(struct canvas *c, int x, int y, int w, const struct value *percent,
                enum style_role role);

struct segment {
    char letter;  /* distinguishes segments without colour */
    double share; /* 0..1 */
    enum style_role role;
    int level;
};
/*
 * Draws segments side by side over w cells. Their widths are found by largest remainder, so that
 * they fill exactly their sum.
 */
void stacked_draw(struct canvas *c, int x, int y, int w, const struct segment *s, size_t n);

/* The number of rows that heat_draw needs in w cells. */
int heat_rows(const struct snapshot *s, int w);
/*
 * Draws one cell per CPU (two if they fit), darker to brighter by its busy share; "x" = offline.
 * CPUs are ordered by socket, cache and number: a socket begins a line, and a gap separates groups
 * that share a last-level cache. Returns the index of the busiest CPU, or -1 if none is known.
 */
int heat_draw(struct canvas *c, struct rect r, const struct snapshot *s);
