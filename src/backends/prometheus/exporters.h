/*
 * What numbers of exporters mean: the rows of exporters.def, and those that a user adds in a file.
 * Both ways to get at numbers use them: a scrape sums series itself, a server is asked by
 * expressions that are made of the rows.
 *
 * A user's file has the same columns, and its rows come first:
 *
 *   [[exporter]]
 *   metric = "gpu_power"              # an id of docs/PROMETHEUS.md
 *   series = "my_gpu_watts{kind='board'}"
 *   over   = ""                       # optional, as all that follow
 *   by     = "gpu"
 *   rate   = false                    # also: count, over_count, rest
 *   scale  = 1
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/fleet/fleet.h"
#include "exposition/exposition.h"

enum exporter_flag {
    EXPORTER_RATE = 1,
    EXPORTER_COUNT = 2,
    EXPORTER_OVER_COUNT = 4,
    EXPORTER_REST = 8,
};

enum { MATCHERS_MAX = 8, NAMES_MAX = 8, EXPORTERS_MAX = 256 };

enum matcher_kind { MATCH_EQUAL, MATCH_OTHER, MATCH_REGEX, MATCH_NOT_REGEX };
struct matcher {
    const char *label, *value;
    enum matcher_kind kind;
    regex_t regex; /* of the last two */
};
/* name|name{label="value",label!="…",label=~"…",label!~"…"} */
struct selector {
    const char *names[NAMES_MAX];
    size_t nnames;
    struct matcher matchers[MATCHERS_MAX];
    size_t nmatchers;
};
/* Texts go into the arena; regular expressions are freed with selector_free. names: at least one is
 * needed. 0, or -EINVAL with err; what: for messages. */
int selector_parse(struct selector *s, struct arena *texts, const char *text, bool names,
                   const char *what, struct error *err);
void selector_free(struct selector *s);
/* Whether the labels fit; the name is the caller's to compare. */
bool selector_fits(const struct selector *s, const struct exposition_sample *sample);

struct exporter_row {
    enum fleet_metric metric;
    unsigned flags;
    double scale;
    const char *by, *source; /* by: one label; "": none */
    struct selector series, over;
    bool has_over;
};

struct exporters {
    struct exporter_row *rows;
    size_t n;
    struct arena texts;
};
/* path NULL: the built-in rows only. */
int exporters_load(struct exporters **out, const char *path, struct error *err);
void exporters_free(struct exporters *e); /* NULL allowed */
