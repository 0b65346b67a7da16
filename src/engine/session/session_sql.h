/* What reading and writing sessions share: the schema, and translation of SQLite's errors. */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_SQL_H
#define ROOFTOP_ENGINE_SESSION_SESSION_SQL_H

#include <sqlite3.h>

#include "base/error.h"
#include "engine/session/block.h"

/* Fills err from SQLite's last error and returns -errno; -EBADMSG if the file is damaged. */
int session_sql_fail(sqlite3 *db, const char *path, struct error *err);
int session_sql_exec(sqlite3 *db, const char *sql, const char *path, struct error *err);
/* The file's user_version, or -errno with err. */
int session_sql_version(sqlite3 *db, const char *path, struct error *err);
extern const char session_sql_schema[];
/* Statement i migrates from schema i to i + 1; there never was a schema 0. */
extern const char *const session_sql_migrations[];

/* Binds the times (as varint differences) and levels of a block's frames to two parameters. */
void session_sql_bind_index(sqlite3_stmt *st, int times, int levels, const struct block_index *x);
/* The inverse, for x->n frames. Returns false if the bytes hold too few, or times are not
 * ascending. */
bool session_index_read(struct block_index *x, uint64_t first_ns, const void *times, size_t ntimes,
                        const uint8_t *levels, size_t nlevels);
bool session_sql_read_index(sqlite3_stmt *st, int times, int levels, uint64_t first_ns,
                            struct block_index *x);

#endif
