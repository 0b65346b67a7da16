/*
 * A connection to a PostgreSQL server that never waits for long: connecting has 5 s, an answer 20 s
 * without a byte and five minutes in all, and the thread's watch (base/watch.h) ends both at once.
 * A statement that is given up is ended on the server, too. Errors are
 * ERROR_UNSUPPORTED where libpq is missing, else ERROR_INPUT, with the server's own words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SERVER_NAME = 200, SERVER_VALUES = 20 };

bool server_is_url(const char *text); /* "postgresql://…" or "postgres://…" */
/* What names the database without a password: "host:5432/perf". 0, or -errno with err. */
int server_name(const char *url, char out[SERVER_NAME], struct error *err);

struct server;
/* name: as server_name gives it, for errors. 0, or -errno with err and *out NULL. */
int server_connect(struct server **out, const char *url, const char *name, struct error *err);
void server_close(struct server *s); /* NULL allowed */

/* Statements without values or rows. 0, or -errno with err. */
int server_exec(struct server *s, const char *sql, struct error *err);
/* Whether the last error was that a table or schema does not exist. */
bool server_lacks_table(const struct server *s);

/* A value of a statement: text (NULL: the SQL NULL), or bytes with their length. */
struct server_value {
    const char *text;
    size_t bytes; /* 0: text */
};

/* One row of an answer, as text. */
struct server_row;
const char *server_text(const struct server_row *r, int column); /* NULL: the SQL NULL */
/* The bytes of a column of type bytea; NULL: none. To be freed by server_bytes_free. */
unsigned char *server_bytes(const struct server_row *r, int column, size_t *n);
void server_bytes_free(unsigned char *bytes);

/* Called for each row; ends the query where it returns non-zero. */
typedef int server_row_fn(void *ctx, const struct server_row *r, struct error *err);
/* One statement with $1 to $n. each NULL: rows are ignored. 0, -errno with err, or what each
 * returned. */
int server_query(struct server *s, const char *sql, const struct server_value *values, int n,
                 server_row_fn *each, void *ctx, struct error *err);
