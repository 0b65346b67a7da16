/* What commands that keep results in the history of benchmarks share. */
#pragma once

#include "base/error.h"
#include "engine/bench/history.h"

/*
 * Parses "1%" or "1" as 0.01, above 0 and below 100 %. text NULL: fallback. A number below 1 needs
 * the sign %: "0.95" alone is refused, because some people mean 95 % by it, and others 0.95 %.
 */
int bench_percent(const char *option, const char *text, double fallback, double *out,
                  struct error *err);
/* The share of --confidence: 99 % where text is NULL; less than 50 % is refused. */
int bench_confidence(const char *text, double *out, struct error *err);

/* Calls bench_history_open, and prints its note to standard error. */
int bench_open(struct bench_history **h, const char *db, bool to_read, struct error *err);
/* Adds the results to db (NULL: the usual database). 0; 1: that failed and was noted, because
 * `named` is false; or -errno with err. */
int bench_keep(const struct bench_results *r, const char *db, bool named, struct error *err);
enum { BENCH_DB_NAME = 512 };
/* What db (NULL: the usual database) is called in messages, without a password. Returns out. */
const char *bench_db_name(const char *db, char out[BENCH_DB_NAME]);
/* Says that what was added waits on this machine, if the server of h has not taken it. */
void bench_say_waiting(const struct bench_history *h);
/* The last line of a command that kept results there: where they are, and how they are shown. */
void bench_say_kept(const char *db);
/* Checks, before anything is measured, that results can be kept in db (NULL: the usual
 * database). A note goes to standard error. 0, or -errno with err. */
int bench_check_db(const char *db, struct error *err);

/*
 * Results are stored before they are printed, so that a full or closed output loses nothing, and
 * they are printed even if they cannot be stored. Joins the results of both steps: returns the one
 * of printing (rc, err) if it failed, after a note about storing; else the one of storing (stored,
 * why).
 */
int bench_both(int stored, const struct error *why, int rc, struct error *err);
