/*
 * Events and metrics that the user adds in a TOML file:
 *
 *   [[event]]
 *   name = "l2_fill"            # as formulas name it
 *   spec = "cpu/event=0x44,umask=0x08/"   # whatever -e takes
 *   set  = "mine"               # events of one set are counted together
 *   desc = "…"                  # optional
 *
 *   [[metric]]
 *   id = "l2_fill_rate"         # label, formula, set, unit, what, warn_above
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/live/metric.h"

struct user_event {
    const char *name, *spec, *set, *desc;
    int line; /* where it stands in the file */
};

struct user_tables {
    const char *path;
    struct user_event *events;
    size_t nevents;
    struct metric_def *metrics;
    int *metric_lines;
    size_t nmetrics;
    struct arena arena;
};

/*
 * ERROR_INPUT with "FILE:LINE:COL" in what; unknown keys and names name the nearest known one.
 * asked: -e is given, and formulas may name its events, which are in the set "user".
 */
int user_tables_load(struct user_tables **out, const char *path, bool asked, struct error *err);
void user_tables_free(struct user_tables *t);
