/* A hue for a name, the same in every view: neighbours in a timeline are told apart by it. */
#ifndef ROOFTOP_TUI_WIDGETS_HUE_H
#define ROOFTOP_TUI_WIDGETS_HUE_H

#include "tui/canvas/canvas.h"

enum { HUES = 5 };

struct style hue(int i); /* 0 to HUES - 1 */
struct style hue_of(const char *name);
/* What time went to, as a part of a path: told apart in every theme, at 16 colours too. No name has
 * that of communication between processors. */
struct style hue_of_compute(void);
struct style hue_of_copies(void);
struct style hue_of_launches(void);
struct style hue_of_communication(void);

/*
 * What stands in the last cell of a span that another one follows: a full block with a gap at its
 * right, a lighter shade, '|' in ASCII. ch: what stands there without a neighbour.
 */
uint32_t hue_edge(uint32_t ch, bool ascii);

#endif
