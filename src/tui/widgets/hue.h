/* Hues of what time went to, the same in all views: computing, communication, copies, the host. */
#pragma once

#include "engine/graph/graph.h"
#include "tui/canvas/canvas.h"

/* The hue of a node, by its kind; collective: it is communication between devices. */
struct style hue_of_work(enum node_kind kind, bool collective);
/* Draws the names of the four hues, each in its own. Returns the cells used; 0 if they do not fit.
 */
int hue_legend(struct canvas *c, int x, int y, int w);

/*
 * The character for the last cell of a span that another span follows: a full block with a gap at
 * its right, a lighter shade, '|' in ASCII. ch: the character without a neighbour.
 */
uint32_t hue_edge(uint32_t ch, bool ascii);
