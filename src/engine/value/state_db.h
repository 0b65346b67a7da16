/*
 * A database of SQLite in the state folder, which several rooftops may have open at once. One that
 * is damaged is set aside and said so, never repaired in place; one of a later version of rooftop
 * is left alone.
 */
#ifndef ROOFTOP_ENGINE_VALUE_STATE_DB_H
#define ROOFTOP_ENGINE_VALUE_STATE_DB_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

#include "base/error.h"

struct state_db_kind {
    const char *file;   /* "replays.db" */
    const char *what;   /* of messages: "the history of replays" */
    int application_id; /* of the file's header */
    int version;        /* of its schema */
    const char *schema; /* makes an empty one */
};

enum { STATE_DB_PATH = 600 };
struct state_db {
    sqlite3 *db; /* NULL: nothing is kept, and nothing is found */
    bool readonly;
    char path[STATE_DB_PATH];
};

/*
 * dir/file, made where it is not there. dir "" or NULL: nothing is kept. readonly: nothing is made
 * or changed; what is not there is empty. note: what the user should know ("" nothing), at least
 * 256 bytes. 0, or -errno with err; in any case to be closed.
 */
int state_db_open(struct state_db *s, const struct state_db_kind *k, const char *dir, bool readonly,
                  char *note, size_t size, struct error *err);
void state_db_close(struct state_db *s);

/* Of a call of SQLite that did not succeed: fills err (NULL allowed) and returns -errno. */
int state_db_fail(const struct state_db *s, struct error *err);
/* Statements without results. */
int state_db_exec(struct state_db *s, const char *sql, struct error *err);

#endif
