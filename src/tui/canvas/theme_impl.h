/* Shared by theme.c (parsing), theme_look.c (colours of styles) and theme_load.c (files). */
#ifndef ROOFTOP_TUI_CANVAS_THEME_IMPL_H
#define ROOFTOP_TUI_CANVAS_THEME_IMPL_H

#include "tui/canvas/theme.h"
#include "tui/canvas/theme_keys.h"

enum { THEME_EMPTY = -1, THEME_ABSENT = -2 };

struct theme {
    char name[192], about[80];
    int given;                                /* number of keys in the file */
    int32_t color[THEME_KEYS_MAX];            /* 0xRRGGBB or THEME_EMPTY, by row of theme_keys */
    int32_t fg[STYLE_COUNT], bg[STYLE_COUNT]; /* of flat styles; -1 = the terminal's own colour */
    int32_t gradient[STYLE_COUNT][101];       /* of gradient styles */
};

void theme_resolve(struct theme *t); /* fills fg, bg and gradient from the colours */
/* Reduce a colour to the palette of 256 colours, or fewer. */
int theme_to_256(int32_t rgb);

#endif
