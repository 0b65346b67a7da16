/* The parts of a path, such as computing and waiting, as shades in a bar or in words beside it. */
#pragma once

#include "engine/path/path_shares.h"
#include "tui/canvas/canvas.h"

/* part: an enum path_part. */
struct style path_mix_style(int part);
uint32_t path_mix_glyph(const struct canvas *c, int part);
/* Writes a mix as w cells of text, in the shades of the bar. */
void path_mix_text(const struct path_mix *m, int w, bool ascii, char *out, size_t size);
