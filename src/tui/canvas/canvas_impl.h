/* What the files of tui/canvas share among themselves. */
#pragma once

#include <stdio.h>

#include "tui/canvas/theme.h"

/*
 * The keys of a theme file: btop's 48 (its src/btop_theme.cpp at cc59c7c lists names and defaults)
 * and rooftop's own, each with a fallback for files without it. rooftop's own keys always fall back
 * to btop's, so that every btop theme is complete.
 */
struct theme_key {
    const char *name;
    const char *fallback; /* "#rrggbb", the name of another key, or "" (the terminal's own) */
};
extern const struct theme_key theme_keys[]; /* terminated by name == NULL */
enum { THEME_KEYS_MAX = 64 };

/* Shared by theme.c (parsing), theme_look.c (colours of styles) and theme_load.c (files). */
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

int render_finish(FILE *out); /* the result of a rendering: 0, or -errno of the write */
