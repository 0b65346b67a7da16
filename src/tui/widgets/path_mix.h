/* The parts of a path, such as computing and waiting, as shades in a bar or in words beside it. */
#pragma once

#include "engine/path/path_shares.h"
#include "tui/canvas/canvas.h"

/* part: an enum path_part. */
struct style path_mix_style(int part);
uint32_t path_mix_glyph(const struct canvas *c, int part);
/* Draws a mix as a bar of r.w cells. */
void path_mix_draw(struct canvas *c, struct rect r, const struct path_mix *m);
/* Draws the names of all parts behind their shades, if they fit. */
void path_mix_legend(struct canvas *c, int x, int y, int w);
