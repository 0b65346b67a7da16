/* Shared by reading and writing of sessions: the schema, and the translation of SQLite's errors. */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_SQL_H
#define ROOFTOP_ENGINE_SESSION_SESSION_SQL_H

#include <sqlite3.h>

#include "base/error.h"
#include "engine/session/block.h"

/* Of pages that do not hold together: -EBADMSG. */
int session_sql_fail(sqlite3 *db, const char *path, struct error *err);
int session_sql_exec(sqlite3 *db, const char *sql, const char *path, struct error *err);
/* user_version of the file; -errno where it cannot be read. */
int session_sql_version(sqlite3 *db, const char *path, struct error *err);
extern const char session_sql_schema[];
/* [i]: from schema i to i + 1; there was no 0. */
extern const char *const session_sql_migrations[];

/* Times as varint differences, and levels, of a block's frames. */
void session_sql_bind_index(sqlite3_stmt *st, int times, int levels, const struct block_index *x);
/* The same from bytes; x->n frames are wanted. false: they are too few,
 * or not in order. */
bool session_index_read(struct block_index *x, uint64_t first_ns, const void *times, size_t ntimes,
                        const uint8_t *levels, size_t nlevels);
bool session_sql_read_index(sqlite3_stmt *st, int times, int levels, uint64_t first_ns,
                            struct block_index *x);

#endif
