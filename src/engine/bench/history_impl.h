/* What the files of the history of benchmarks share, and nobody else uses. */
#pragma once

#include "engine/bench/history.h"
#include "engine/value/state_db.h"

enum history_use { HISTORY_WRITES, HISTORY_READS, HISTORY_READS_AGAIN };

struct team;
struct bench_history {
    struct state_db s;
    /* 1 has neither compilers nor counters, 2 does not know how runs ended, 3 no branch */
    int version;
    struct team *team; /* NULL: the history is a file */
};

/* The tables of the file, which the copy of a team's history has, too. */
#define HISTORY_TABLES                                                                             \
    "CREATE TABLE series(id INTEGER PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL,"          \
    " unit TEXT NOT NULL, more_is_good INTEGER NOT NULL, accepted_ns INTEGER NOT NULL);"           \
    "CREATE UNIQUE INDEX series_of ON series(name, host);"                                         \
    "CREATE TABLE point(id INTEGER PRIMARY KEY, series INTEGER NOT NULL, time_ns INTEGER NOT"      \
    " NULL, tool TEXT NOT NULL, value REAL NOT NULL, load REAL, commit_id TEXT NOT NULL,"          \
    " cpu TEXT NOT NULL, kernel TEXT NOT NULL, governor TEXT NOT NULL, turbo TEXT NOT NULL,"       \
    " smt TEXT NOT NULL, microcode TEXT NOT NULL, samples BLOB, compiler TEXT NOT NULL DEFAULT"    \
    " '', counters TEXT NOT NULL DEFAULT '', ends TEXT NOT NULL DEFAULT '', branch TEXT NOT NULL " \
    "DEFAULT '');"                                                                                 \
    "CREATE UNIQUE INDEX point_of ON point(series, time_ns);"

/* --- team.c: a history that many machines share, on a PostgreSQL server --- */

/*
 * Opens the copy of the server's history, in the state folder, as s, and exchanges with the server
 * what either lacks, unless it is read again. note: why that failed, of when the copy is, and how
 * many results wait for the server. That is an error only where there is no copy yet and it is to
 * be read. 0, or -errno with err. Call team_close in either case, before s is closed.
 */
int team_open(struct team **out, struct state_db *s, const char *url, enum history_use use,
              char *note, size_t size, struct error *err);
void team_close(struct team *t); /* NULL allowed */
/* Sends what waits. 0, or -errno with err: it waits further. */
int team_send(struct team *t, struct error *err);
/* Whether the last exchange failed: others may have added what is not in the copy. */
bool team_is_late(const struct team *t);
void team_set_late(struct team *t); /* it did not take what was sent */
