/*
 * An SQLite database in the state folder. Several rooftop processes may have it open at once. A
 * damaged database is renamed and the user is told; it is never repaired in place. A database of a
 * later version of rooftop is not touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

#include "base/error.h"

struct state_db_kind {
    const char *file;   /* "replays.db" */
    const char *what;   /* for messages: "the history of replays" */
    int application_id; /* in the file's header */
    int version;        /* of the schema */
    const char *schema; /* SQL that creates the empty database */
    /* SQL that makes version i + 2 of version i + 1, for i up to version - 2; NULL: older versions
     * are used as they are. */
    const char *const *steps;
    /* Versions from this one on may be read as they are; 0: an older one must be made new first. */
    int oldest_read;
    /* The user chose the file: one that is damaged or of another program is refused, not renamed.
     */
    bool chosen;
};

enum { STATE_DB_PATH = 600 };
struct state_db {
    sqlite3 *db; /* NULL: nothing is stored, and every query finds nothing */
    bool readonly;
    const char *help; /* where the disk is full */
    char path[STATE_DB_PATH];
};

/*
 * Opens dir/file and creates it if it is missing. dir "" or NULL: nothing is stored. readonly:
 * nothing is created or changed; a missing file counts as empty. note receives a message for the
 * user ("" none); size >= 256 bytes. 0, or -errno with err. Call state_db_close in either case.
 */
int state_db_open(struct state_db *s, const struct state_db_kind *k, const char *dir, bool readonly,
                  char *note, size_t size, struct error *err);
void state_db_close(struct state_db *s);

/* Call it after an SQLite call failed: fills err (NULL allowed) and returns -errno. */
int state_db_fail(const struct state_db *s, struct error *err);
/* Runs statements that return no rows. 0, or -errno with err. */
int state_db_exec(struct state_db *s, const char *sql, struct error *err);
