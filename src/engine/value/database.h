/*
 * The only way in which rooftop opens an SQLite database. The file may be hostile: nothing in it
 * can make rooftop run for ever, run code, or change or create files.
 *
 *   Views, triggers, virtual tables and functions in the schema are not trusted; rooftop reads only
 *   tables whose columns are all plain (database_table). Lengths and depths have limits. Every
 *   DATABASE_STEPS steps of SQLite's virtual machine the thread's watch (base/watch.h) decides
 *   whether the statement goes on. If the thread has no watch, the statement ends after
 *   DATABASE_PATIENCE such checks.
 *
 * Source of the settings: "Defense Against The Dark Arts", sqlite.org/security.html.
 */
#pragma once

#include <stdbool.h>

#include <sqlite3.h>

#include "base/error.h"

enum {
    DATABASE_STEPS = 10000,       /* about a millisecond */
    DATABASE_PATIENCE = 5000,     /* checks */
    DATABASE_LENGTH = 256 << 20,  /* bytes of a text or blob */
    DATABASE_SQL_LENGTH = 1 << 20 /* of a statement in the schema */
};

enum database_mode { DATABASE_READ, DATABASE_WRITE /* creates a missing file */ };

/* Returns an SQLite result code. DATABASE_READ changes nothing and creates no file beside the
 * database: without a log beside it the file is opened as immutable; with a log that was copied
 * along, it is opened with exclusive locking. Close *out with database_close after success and
 * after failure. */
int database_open(sqlite3 **out, const char *path, enum database_mode mode, int busy_ms);
void database_close(sqlite3 *db); /* NULL allowed */
/* Applies the same guards to a database that is already open, such as one in memory. */
void database_guard(sqlite3 *db);
/* Whether no log or journal with content lies beside the file, so that its pages are complete. */
bool database_is_whole(const char *path);
/* Whether another process is writing the file, or has it open with a log. Call it before this
 * process opens the file: closing the descriptor used here would drop this process's locks. */
bool database_is_written(const char *path);
/* Whether `name` is an ordinary table: not a view or a virtual table, and no computed columns. */
bool database_table(sqlite3 *db, const char *name);
/* Call it after SQLITE_INTERRUPT. Fills err and returns -ECANCELED if the user cancelled, another
 * -errno if the statement took too long. */
int database_stopped(const char *path, struct error *err);
/*
 * Call it after a failed call on a database that is written. Where that failed for want of room:
 * fills err and returns -errno; else 0. SQLite itself calls the same a full disk, an I/O error, or
 * a file that cannot be opened, by what it wrote last.
 */
int database_no_room(sqlite3 *db, const char *path, const char *help, struct error *err);
