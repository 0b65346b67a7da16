/* A canvas in other forms. Each returns 0 or -errno of the write. */
#pragma once

#include <stdio.h>

#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"

/* UTF-8 (or ASCII) lines, trailing blanks cut */
int render_text(FILE *out, const struct canvas *c);
int render_ansi(FILE *out, const struct canvas *c, const struct theme *t, enum color_depth depth);
int render_svg(FILE *out, const struct canvas *c, const struct theme *t);
/* One letter per cell (style_table's), for goldens. */
int render_styles(FILE *out, const struct canvas *c);
