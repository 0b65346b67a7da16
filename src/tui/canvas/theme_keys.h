/*
 * The keys of a theme file: btop's 48 (its src/btop_theme.cpp at cc59c7c lists names and defaults)
 * and rooftop's own, each with a fallback for files without it. rooftop's own keys always fall back
 * to btop's, so that every btop theme is complete.
 */
#ifndef ROOFTOP_TUI_CANVAS_THEME_KEYS_H
#define ROOFTOP_TUI_CANVAS_THEME_KEYS_H

struct theme_key {
    const char *name;
    const char *fallback; /* "#rrggbb", the name of another key, or "" (the terminal's own) */
};
extern const struct theme_key theme_keys[]; /* terminated by name == NULL */
enum { THEME_KEYS_MAX = 64 };

#endif
