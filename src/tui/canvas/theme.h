/*
 * Colours. A theme is btop's .theme format (reference in docs/THEMES.md); it maps style roles and
 * gradient levels to RGB, which the depth of the terminal then reduces.
 */
#pragma once

#include "base/error.h"
#include "tui/canvas/canvas.h"

enum color_depth { DEPTH_NONE, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE };

enum { COLOR_DEFAULT = -1 }; /* the terminal's own foreground or background */
struct look {
    int32_t fg, bg; /* at DEPTH_TRUE 0xRRGGBB, else a palette index; or COLOR_DEFAULT */
    bool bold, underline, reverse;
};

struct theme;

/* name: a built-in theme ("rooftop-dark"), a file, or a name without ".theme" in the search path.
 */
int theme_load(struct theme **out, const char *name, struct error *err);
/* text: the file's content; what: its name for messages ("FILE:LINE"). */
int theme_parse(struct theme **out, const char *text, size_t len, const char *what,
                struct error *err);
void theme_free(struct theme *t);
/*
 * The theme's own description, like "dark, warm: charcoal and copper"; "dark" or "light" if it has
 * none.
 */
const char *theme_about(const struct theme *t);
/* Name of built-in theme i; NULL after the last. */
const char *theme_builtin(size_t i);
/* The colour of a theme key, 0xRRGGBB, or COLOR_DEFAULT if it is empty; for tests and pickers. */
int32_t theme_color(const struct theme *t, const char *key);
struct look theme_look(const struct theme *t, struct style st, enum color_depth depth);
/*
 * Writes the names of the built-in themes, and after them those found in the search path, sorted.
 * Returns their number. Free each name and the array.
 */
size_t theme_list(char ***names);
