/*
 * The one way to open a database of SQLite, whoever wrote it: nothing in it can make rooftop run
 * for ever, run code, or change or make files.
 *
 *   No views, triggers, virtual tables or functions of the schema's are trusted; only tables whose
 *   columns are plain are read (database_table). Lengths and depths have limits. Work is counted in
 *   steps of SQLite's machine: after DATABASE_STEPS the thread's watch (base/watch.h) is asked
 *   whether to go on; where nobody watches a statement ends after DATABASE_PATIENCE such looks.
 *
 * Source of the settings: "Defense Against The Dark Arts", sqlite.org/security.html.
 */
#ifndef ROOFTOP_ENGINE_VALUE_DATABASE_H
#define ROOFTOP_ENGINE_VALUE_DATABASE_H

#include <stdbool.h>

#include <sqlite3.h>

#include "base/error.h"

enum {
    DATABASE_STEPS = 10000,       /* about a millisecond */
    DATABASE_PATIENCE = 5000,     /* looks */
    DATABASE_LENGTH = 256 << 20,  /* bytes of a text or blob */
    DATABASE_SQL_LENGTH = 1 << 20 /* of a statement in the schema */
};

enum database_mode { DATABASE_READ, DATABASE_WRITE /* made where it is not there */ };

/* SQLite's code. DATABASE_READ changes nothing and makes no file beside it: what has no log beside
 * it is taken for immutable, a log that came with a copy is read exclusively. Close *out by
 * database_close after either outcome. */
int database_open(sqlite3 **out, const char *path, enum database_mode mode, int busy_ms);
void database_close(sqlite3 *db); /* NULL allowed */
/* What database_open does to an open one: of memory. */
void database_guard(sqlite3 *db);
/* Nothing waits in a log or journal beside it: what its pages say holds. */
bool database_is_whole(const char *path);
/* Whether another process writes it just now, or has it open with a log. To be asked before it is
 * opened here: it would take our own locks away. */
bool database_is_written(const char *path);
/* A table, of plain columns: no view, no virtual one, nothing that is computed. */
bool database_table(sqlite3 *db, const char *name);
/* Of SQLITE_INTERRUPT: whether it was given up (-ECANCELED), or ran too long. Fills err. */
int database_stopped(const char *path, struct error *err);

#endif
