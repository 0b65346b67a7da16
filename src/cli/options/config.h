/*
 * Reads the configuration file (TOML): options that shared.def marks, under their own names, and
 * tables of keys and presets.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"

/* Called for each key. text: the value as it would be written on the command line; where:
 * "FILE:LINE:COL key", for errors; table: "" at the top level, "keys" (actions and their keys) or
 * "presets" (names and boxes). */
typedef int (*config_sink)(void *ctx, const char *table, const char *key, const char *text,
                           const char *where, struct error *err);

/*
 * path NULL: the default file, which may be missing; a path that is given must exist. Returns 0 or
 * -errno: ERROR_INPUT with FILE:LINE:COL for anything malformed or unknown.
 */
int config_read(const char *path, config_sink sink, void *ctx, struct error *err);
/* $XDG_CONFIG_HOME/rooftop/config.toml or ~/.config/rooftop/config.toml; "" if there is no home
 * directory. Returns out. */
const char *config_usual_path(char *out, unsigned long size);

/* --- writing, config_edit.c --- */

/* A text of the configuration; table: "" at the top level. */
struct config_setting {
    const char *table, *key, *value;
};
/* Writes KEY = "VALUE", as a line of the file. */
void config_setting_write(FILE *out, const struct config_setting *s);
/* The text with this setting, which is changed where it stands, else added to its table; all other
 * lines and comments stay. The caller frees it. NULL with err: the text is no TOML, or the value
 * there is of another kind. */
char *config_with(const char *text, const struct config_setting *s, struct error *err);
/* Writes settings into the file, which is made if it is missing, and is replaced at once. 0 or
 * -errno with err; the file is then as it was. */
int config_keep(const char *path, const struct config_setting *list, size_t n, struct error *err);
