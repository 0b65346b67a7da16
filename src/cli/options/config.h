/*
 * Reads the configuration file (TOML): options that shared.def marks, under their own names, and
 * tables of keys and presets.
 */
#pragma once

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
