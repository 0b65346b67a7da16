/*
 * The configuration file: the options that shared.def marks, under their own names, and tables
 * of keys and presets, in TOML.
 */
#ifndef ROOFTOP_CLI_OPTIONS_CONFIG_H
#define ROOFTOP_CLI_OPTIONS_CONFIG_H

#include "base/error.h"

/* Called for each key, text as it would stand on the command line, where "FILE:LINE:COL key".
 * table: "" at the top level, "keys" (actions and their keys) or "presets" (names and boxes). */
typedef int (*config_sink)(void *ctx, const char *table, const char *key, const char *text,
                           const char *where, struct error *err);

/*
 * path NULL: the usual file, which may be missing; given, it must be there. ERROR_INPUT with
 * FILE:LINE:COL for anything malformed or unknown.
 */
int config_read(const char *path, config_sink sink, void *ctx, struct error *err);
/* $XDG_CONFIG_HOME/rooftop/config.toml or ~/.config/rooftop/config.toml; "" without a home. */
const char *config_usual_path(char *out, unsigned long size);

#endif
