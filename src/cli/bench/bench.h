/* What commands that keep results in the history of benchmarks share. */
#pragma once

#include "base/error.h"
#include "engine/bench/history.h"

/*
 * Parses "1%" or "1" as 0.01, above 0 and below 100 %. text NULL: fallback. A number below 1 needs
 * its sign: "0.95" is refused, since some mean 95 % by it, and others 0.95 %.
 */
int bench_percent(const char *option, const char *text, double fallback, double *out,
                  struct error *err);
/* The share of --confidence: 99 % where text is NULL; less than 50 % is refused. */
int bench_confidence(const char *text, double *out, struct error *err);

/* bench_history_open, whose note goes to standard error. */
int bench_open(struct bench_history **h, const char *db, bool to_read, struct error *err);
/* Adds the results to db (NULL: the usual database). Where `named` is false, a failure is only
 * noted. 0, or -errno with err. */
int bench_keep(const struct bench_results *r, const char *db, bool named, struct error *err);
/* Whether results could be kept in db (NULL: the usual database), asked before they are measured.
 * A note goes to standard error. 0, or -errno with err. */
int bench_check_db(const char *db, struct error *err);

/*
 * What was measured is stored first, so that a full or closed output loses nothing, and printed
 * also where it cannot be stored. Makes one result of both: printing's (rc, err) where that failed,
 * and a note about storing; else storing's (stored, why).
 */
int bench_both(int stored, const struct error *why, int rc, struct error *err);
