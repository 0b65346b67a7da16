/* Meters, stacked bars and the heat map of CPUs: shares drawn as lengths or shades, always with a
 * number beside. */
#ifndef ROOFTOP_TUI_WIDGETS_METER_H
#define ROOFTOP_TUI_WIDGETS_METER_H

#include "engine/live/snapshot.h"
#include "tui/canvas/canvas.h"

/* A bar of w cells filled to share (0..1); not measured: an empty bar of dots. */
void meter_draw(struct canvas *c, int x, int y, int w, const struct value *percent,
                enum style_role role);

struct segment {
    char letter;  /* tells segments apart without colour */
    double share; /* 0..1 */
    enum style_role role;
    int level;
};
/* Segments side by side over w cells, widths by largest remainder so that they fill exactly what
 * they sum to. */
void stacked_draw(struct canvas *c, int x, int y, int w, const struct segment *s, size_t n);

/* Rows that heat_draw needs in w cells. */
int heat_rows(const struct snapshot *s, int w);
/*
 * One cell a CPU (two where there is room), darker to brighter by its busy share; "x" = offline.
 * In the order of sockets, caches and numbers: a socket begins a line, a gap parts groups that
 * share a last-level cache. Returns the index of the busiest CPU, -1 when none is known.
 */
int heat_draw(struct canvas *c, struct rect r, const struct snapshot *s);

#endif
