/*
 * The history of benchmarks: results kept in an SQLite database, and what they say together. A
 * series is what was measured under one name on one host; its points are the results in order of
 * time.
 */
#pragma once

#include "engine/bench/results.h"
#include "engine/statistics/changes.h"

struct history_point {
    int64_t id; /* in the database */
    uint64_t time_ns;
    double value, load; /* load NAN = unknown */
    size_t n;           /* samples: bench_history_samples reads them */
    const char *tool;
    struct bench_conditions conditions;
    const char *compiler;            /* "" = unknown */
    struct bench_ends ends;          /* how the runs ended; runs 0 = unknown */
    double counters[BENCH_COUNTERS]; /* means over the runs; NAN = unknown */
};

enum history_alarm {
    HISTORY_QUIET,
    HISTORY_WARN,    /* ops per cycle below 2.9 */
    HISTORY_LOW,     /* ops per cycle below 2.5 */
    HISTORY_CHANGED, /* the last change made it worse */
    HISTORY_FAILING, /* the last point's runs did not end as those before */
};

struct history_series {
    const char *name, *host, *unit;
    bool more_is_good;
    struct history_point *points;
    size_t n, cap;
    size_t accepted;        /* points before this one raise no alarm */
    struct change *changes; /* indexes are those of points */
    size_t nchanges;
    enum history_alarm alarm;
};

struct history_list {
    struct arena arena; /* owns texts */
    struct history_series *list;
    size_t n, cap;
};

/* Called after each series; total: number of series. NULL: no progress is reported. */
struct history_progress {
    void (*tell)(void *ctx, size_t done, size_t total);
    void *ctx;
};

enum { HISTORY_SCHEMA = 4, HISTORY_POINTS_MOST = 20000 };
struct bench_history;
/* path NULL: the environment's ROOFTOP_HISTORY, else bench.db in the state folder. An address
 * (postgresql://…) is a team's history: what is read is of the copy in the state folder, which this
 * brings up to date where the server answers; note says where it does not. That a file is missing
 * is no error where nothing is written, but a missing file that the user named is one, and so is a
 * damaged one that is only read. note: a message for the user (state_db_open). 0, or -errno with
 * err. Call bench_history_close in either case. */
int bench_history_open(struct bench_history **out, const char *path, bool readonly, char *note,
                       size_t size, struct error *err);
/* The same for reading what was listed before: a team's server is not asked again. */
int bench_history_reopen(struct bench_history **out, const char *path, char *note, size_t size,
                         struct error *err);
void bench_history_close(struct bench_history *h); /* NULL allowed */
/* Whether it is a team's and its server did not answer: others may have added what is not read. */
bool bench_history_late(const struct bench_history *h);
/* Whether results could be kept there, to be asked before they are measured: opens it for writing
 * (path and note as above) and closes it. 0, or -errno with err. */
int bench_history_check(const char *path, char *note, size_t size, struct error *err);

/* Adds results. Those that are there already (same series and time) are left as they are. added:
 * how many are new; NULL allowed. */
int bench_history_add(struct bench_history *h, const struct bench_results *r, size_t *added,
                      struct error *err);
/* The last points of all series whose name contains the text (NULL: of all), judged by the rule
 * (NULL: not judged). 0, or -errno with err: -ECANCELED where the thread's watch (base/watch.h)
 * gave it up. Call bench_history_list_free in either case. */
int bench_history_load(struct bench_history *h, const char *name, const struct change_rule *rule,
                       const struct history_progress *progress, struct history_list *out,
                       struct error *err);
/* The samples of the point with this id, for the caller to free; *v NULL and *n 0: it has none. */
int bench_history_samples(struct bench_history *h, int64_t id, double **v, size_t *n,
                          struct error *err);
/* Accepts the present level: changes of the series up to now raise no alarm. name: the whole
 * name. changed: number of series of that name. */
int bench_history_accept(struct bench_history *h, const char *name, size_t *changed,
                         struct error *err);
void bench_history_list_free(struct history_list *l);

/* --- without a database: history_judge.c --- */

/* Finds changes and the alarm of a series. */
void history_judge(struct history_series *s, const struct change_rule *rule);
bool history_alarmed(const struct history_series *s); /* more than HISTORY_WARN */
/* "quiet", "warning", "low", "worse", "failing" */
const char *history_alarm_name(enum history_alarm a);
/* Whether the values of two points may be compared, by how their runs ended; unknown ends may. */
bool history_comparable(const struct history_point *a, const struct history_point *b);
/* What is different between two points: "commit 1a2b3c4d to 5e6f7a8b, kernel 6.1 to 6.2"; "" if
 * nothing known is. Returns out. */
const char *history_difference(const struct history_point *before,
                               const struct history_point *after, char *out, size_t size);
/* The same for the first run of a change and the one before it. */
const char *history_reason(const struct history_series *s, size_t at, char *out, size_t size);
