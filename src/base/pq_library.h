/*
 * libpq, the client library of PostgreSQL, opened when it is needed, so that rooftop also builds
 * and runs without it. Types and values are those of libpq-fe.h, which its ABI (libpq.so.5) keeps:
 * PostgreSQL's documentation, "libpq - C Library".
 */
#pragma once

#include <stddef.h>

struct pg_conn;
struct pg_result;
struct pg_cancel;

enum pq_polling { PQ_POLLING_FAILED, PQ_POLLING_READING, PQ_POLLING_WRITING, PQ_POLLING_OK };
enum pq_connection { PQ_CONNECTION_OK, PQ_CONNECTION_BAD };
enum pq_status {
    PQ_EMPTY_QUERY,
    PQ_COMMAND_OK,
    PQ_TUPLES_OK,
    PQ_SINGLE_TUPLE = 9,
};
enum pq_field { PQ_SQLSTATE = 'C', PQ_MESSAGE_PRIMARY = 'M' };

/* An option of a connection; a list ends with keyword NULL. */
struct pq_option {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
};

struct pq_library {
    struct pq_option *(*parse)(const char *text, char **why);
    struct pq_option *(*defaults)(void);
    void (*parse_free)(struct pq_option *);
    void (*free_memory)(void *);
    struct pg_conn *(*connect_start)(const char *text);
    int (*connect_poll)(struct pg_conn *); /* enum pq_polling */
    int (*status)(const struct pg_conn *); /* enum pq_connection */
    int (*socket)(const struct pg_conn *);
    char *(*message)(const struct pg_conn *);
    void (*finish)(struct pg_conn *);
    int (*set_nonblocking)(struct pg_conn *, int on);
    int (*send)(struct pg_conn *, const char *sql);
    /* types NULL: the server's choice; formats 1: bytes; result_format 0: text */
    int (*send_params)(struct pg_conn *, const char *sql, int n, const unsigned *types,
                       const char *const *values, const int *lengths, const int *formats,
                       int result_format);
    int (*single_rows)(struct pg_conn *);
    int (*flush)(struct pg_conn *);
    int (*consume)(struct pg_conn *);
    int (*busy)(struct pg_conn *);
    struct pg_result *(*result)(struct pg_conn *);
    void (*clear)(struct pg_result *);
    int (*result_status)(const struct pg_result *); /* enum pq_status */
    char *(*result_field)(const struct pg_result *, int field);
    int (*rows)(const struct pg_result *);
    char *(*value)(const struct pg_result *, int row, int column);
    int (*is_null)(const struct pg_result *, int row, int column);
    unsigned char *(*unescape)(const unsigned char *text, size_t *n);
    struct pg_cancel *(*cancel_new)(struct pg_conn *);
    int (*cancel)(struct pg_cancel *, char *why, int size); /* connects and waits; 0: not sent */
    void (*cancel_free)(struct pg_cancel *);
    void *(*set_notices)(struct pg_conn *, void (*)(void *ctx, const char *text), void *ctx);
};

/* Returns NULL if libpq is not installed. */
const struct pq_library *pq_library(void);
