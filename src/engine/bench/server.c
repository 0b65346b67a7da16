#include "engine/bench/server.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/pq_library.h"
#include "base/thread.h"
#include "base/watch.h"

bool server_is_url(const char *text)
{
    return text &&
           (strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0);
}

enum {
    CONNECT_MS = 5000,
    ANSWER_MS = 20000,     /* without a byte */
    STATEMENT_MS = 300000, /* of one statement, however steadily its bytes come */
    CANCEL_MS = 1000,
    LOOK_MS = 100,
    STEP_NS = 2000000
};

struct server {
    struct pg_conn *c; /* NULL: there is none yet */
    char name[SERVER_NAME];
    bool no_table;
    int64_t until; /* when the present statement is given up */
};

struct server_row {
    const struct pg_result *r;
    int at;
};

static int need_pq(struct error *err)
{
    return pq_library() ? 0
                        : error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "install it (Debian: libpq5)",
                                    "a history on a PostgreSQL server", "libpq is not installed");
}

/* The server's words are of several lines: the first says what is wrong. */
static int server_refuse(struct server *s, int code, const char *message, struct error *err)
{
    const char *help =
        code == ECONNREFUSED ? "does psql reach it from here, by this address?" : NULL;
    char line[256];
    snprintf(line, sizeof line, "%s", message && *message ? message : "the connection ended");
    line[strcspn(line, "\n")] = '\0';
    return error_set(err, ERROR_INPUT, code, help, s->name, "%s", line);
}

static int64_t now_ms(void)
{
    return (int64_t)(env_now_ns() / 1000000);
}

/* Waits for the socket, at most ANSWER_MS, and not after the statement's end. 0, or -errno with
 * err. */
static int wait_for_socket(struct server *s, short events, struct error *err)
{
    const int64_t silent = now_ms() + ANSWER_MS, until = silent < s->until ? silent : s->until;
    for (;;) {
        const int64_t left = until - now_ms();
        struct pollfd p = {.fd = pq_library()->socket(s->c), .events = events};
        if (watch_given_up())
            return watch_check(s->name, err);
        if (left <= 0 && until == s->until)
            return server_refuse(s, ETIMEDOUT, "its answer takes more than five minutes", err);
        if (left <= 0)
            return server_refuse(s, ETIMEDOUT, "the server does not answer", err);
        const int got = poll(&p, 1, left < LOOK_MS ? (int)left : LOOK_MS);
        if (got > 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return server_refuse(s, errno, strerror(errno), err);
    }
}

/* --- connecting --- */

static const char *find_option(const struct pq_option *list, const char *keyword)
{
    for (; list && list->keyword; list++)
        if (strcmp(list->keyword, keyword) == 0 && list->val && *list->val)
            return list->val;
    return NULL;
}

int server_name(const char *url, char out[SERVER_NAME], struct error *err)
{
    char *why = NULL;
    *out = '\0';
    int rc = need_pq(err);
    if (rc != 0)
        return rc;
    struct pq_option *given = pq_library()->parse(url, &why), *usual = pq_library()->defaults();
    if (given) {
        static const char *const parts[] = {"service", "host", "hostaddr", "port", "dbname"};
        const char *value[5];
        for (int i = 0; i < 5; i++) {
            value[i] = find_option(given, parts[i]);
            if (!value[i])
                value[i] = find_option(usual, parts[i]);
        }
        const char *host = value[1] ? value[1] : value[2];
        snprintf(out, SERVER_NAME, "%s%s%.100s:%.10s/%.40s", value[0] ? value[0] : "",
                 value[0] ? " " : "", host ? host : "localhost", value[3] ? value[3] : "5432",
                 value[4] ? value[4] : "");
    } else {
        char line[200];
        snprintf(line, sizeof line, "%s", why ? why : "it cannot be read");
        line[strcspn(line, "\n")] = '\0';
        rc = error_set(err, ERROR_USAGE, EINVAL, "postgresql://HOST/DATABASE", "--db", "%s", line);
    }
    pq_library()->parse_free(given);
    pq_library()->parse_free(usual);
    pq_library()->free_memory(why);
    return rc;
}

/*
 * libpq asks for the addresses of a host's name by a call that waits for the name server, and
 * nothing can end it. So a thread of its own connects. The caller waits for the connection for a
 * while and then leaves the thread alone: the one of the two that ends last frees this.
 */
struct connecting {
    char *url;
    struct pg_conn *c; /* the thread's until it has ended */
    atomic_int ended;  /* of the two */
};

static void end_connecting(struct connecting *w)
{
    if (atomic_fetch_add(&w->ended, 1) == 0)
        return;
    if (w->c)
        pq_library()->finish(w->c);
    free(w->url);
    free(w);
}

static void *run_connecting(void *arg)
{
    struct connecting *w = arg;
    int state = PQ_POLLING_WRITING;
    w->c = pq_library()->connect_start(w->url);
    if (!w->c || pq_library()->status(w->c) == PQ_CONNECTION_BAD)
        state = PQ_POLLING_FAILED;
    while (state != PQ_POLLING_OK && state != PQ_POLLING_FAILED && atomic_load(&w->ended) == 0) {
        struct pollfd p = {.fd = pq_library()->socket(w->c),
                           .events = state == PQ_POLLING_READING ? POLLIN : POLLOUT};
        if (poll(&p, 1, LOOK_MS) > 0)
            state = pq_library()->connect_poll(w->c);
    }
    end_connecting(w);
    return NULL;
}

/* Waits until the thread has ended. 0, or -errno with err. */
static int await_connecting(struct server *s, struct connecting *w, struct error *err)
{
    const int64_t until = now_ms() + CONNECT_MS;
    while (atomic_load(&w->ended) == 0) {
        if (watch_given_up())
            return watch_check(s->name, err);
        if (now_ms() >= until)
            return server_refuse(
                s, ETIMEDOUT, "the server does not answer, or the one that knows its address", err);
        nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
    return 0;
}

static int connect_server(struct server *s, const char *url, struct error *err)
{
    struct connecting *w = xcalloc(1, sizeof *w);
    w->url = xstrdup(url);
    int rc = thread_start(NULL, run_connecting, w);
    if (rc != 0) {
        atomic_store(&w->ended, 1); /* there is only one */
        end_connecting(w);
        return server_refuse(s, rc, "no thread can be started to connect", err);
    }
    rc = await_connecting(s, w, err);
    if (rc == 0) {
        s->c = w->c;
        w->c = NULL;
    }
    end_connecting(w);
    if (rc == 0 && (!s->c || pq_library()->status(s->c) != PQ_CONNECTION_OK))
        rc = server_refuse(s, ECONNREFUSED, s->c ? pq_library()->message(s->c) : "no memory", err);
    return rc;
}

static void ignore_notice(void *ctx, const char *message)
{
    (void)ctx;
    (void)message;
}

int server_connect(struct server **out, const char *url, const char *name, struct error *err)
{
    *out = NULL;
    int rc = need_pq(err);
    if (rc != 0)
        return rc;
    struct server *s = xcalloc(1, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    rc = connect_server(s, url, err);
    if (rc == 0) {
        pq_library()->set_notices(s->c, ignore_notice, NULL);
        pq_library()->set_nonblocking(s->c, 1);
        rc = server_exec(s, "SET client_encoding TO 'UTF8'; SET extra_float_digits TO 3", err);
    }
    if (rc != 0) {
        server_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

void server_close(struct server *s)
{
    if (s && s->c)
        pq_library()->finish(s->c);
    free(s);
}

/* --- statements --- */

static int send_all(struct server *s, struct error *err)
{
    int rc = 0, left;
    while (rc == 0 && (left = pq_library()->flush(s->c)) != 0) {
        rc = left < 0 ? server_refuse(s, EIO, pq_library()->message(s->c), err)
                      : wait_for_socket(s, POLLIN | POLLOUT, err);
        if (rc == 0 && !pq_library()->consume(s->c))
            rc = server_refuse(s, EIO, pq_library()->message(s->c), err);
    }
    return rc;
}

static int await_result(struct server *s, struct error *err)
{
    int rc = 0;
    while (rc == 0 && pq_library()->busy(s->c)) {
        rc = wait_for_socket(s, POLLIN, err);
        if (rc == 0 && !pq_library()->consume(s->c))
            rc = server_refuse(s, EIO, pq_library()->message(s->c), err);
    }
    return rc;
}

static int take_server_result(struct server *s, const struct pg_result *r, server_row_fn *each,
                              void *ctx, struct error *err)
{
    const int status = pq_library()->result_status(r);
    int rc = 0;
    if (status == PQ_SINGLE_TUPLE || status == PQ_TUPLES_OK) {
        struct server_row row = {.r = r};
        for (; rc == 0 && each && row.at < pq_library()->rows(r); row.at++)
            rc = each(ctx, &row, err);
        return rc;
    }
    if (status == PQ_COMMAND_OK || status == PQ_EMPTY_QUERY)
        return 0;
    const char *state = pq_library()->result_field(r, PQ_SQLSTATE);
    const char *message = pq_library()->result_field(r, PQ_MESSAGE_PRIMARY);
    s->no_table = state && (strcmp(state, "42P01") == 0 || strcmp(state, "3F000") == 0);
    return server_refuse(s, EPROTO, message ? message : pq_library()->message(s->c), err);
}

/* Reads what the server answers to the end; where that fails, the connection is of no more use. */
static int take_results(struct server *s, server_row_fn *each, void *ctx, struct error *err)
{
    int rc = 0;
    for (;;) {
        struct error later = ERROR_INIT;
        const int waited = await_result(s, rc == 0 ? err : &later);
        if (waited != 0)
            return rc == 0 ? waited : rc;
        struct pg_result *r = pq_library()->result(s->c);
        if (!r)
            return rc;
        if (rc == 0)
            rc = take_server_result(s, r, each, ctx, err);
        pq_library()->clear(r);
    }
}

/*
 * A statement that nobody waits for any more would run on, and hold its locks. libpq asks the
 * server to end it by a call that connects and waits for the server, so a thread of its own does:
 * the one of the two that ends last frees this.
 */
struct cancelling {
    struct pg_cancel *handle;
    atomic_int ended; /* of the two */
};

static void end_cancelling(struct cancelling *w)
{
    if (atomic_fetch_add(&w->ended, 1) == 0)
        return;
    pq_library()->cancel_free(w->handle);
    free(w);
}

static void *run_cancelling(void *arg)
{
    struct cancelling *w = arg;
    char why[256];
    pq_library()->cancel(w->handle, why, sizeof why);
    end_cancelling(w);
    return NULL;
}

static void cancel_statement(struct server *s)
{
    struct cancelling *w = xcalloc(1, sizeof *w);
    w->handle = pq_library()->cancel_new(s->c);
    if (!w->handle || thread_start(NULL, run_cancelling, w) != 0)
        atomic_store(&w->ended, 1); /* there is only one */
    const int64_t until = now_ms() + CANCEL_MS;
    while (atomic_load(&w->ended) == 0 && now_ms() < until)
        nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
    end_cancelling(w);
}

/* Sends the statement that libpq has taken and reads what the server answers. */
static int finish_statement(struct server *s, server_row_fn *each, void *ctx, struct error *err)
{
    s->until = now_ms() + STATEMENT_MS;
    int rc = send_all(s, err);
    if (rc == 0)
        rc = take_results(s, each, ctx, err);
    if (rc != 0 && pq_library()->busy(s->c))
        cancel_statement(s);
    return rc;
}

int server_exec(struct server *s, const char *sql, struct error *err)
{
    s->no_table = false;
    if (!pq_library()->send(s->c, sql))
        return server_refuse(s, EIO, pq_library()->message(s->c), err);
    return finish_statement(s, NULL, NULL, err);
}

bool server_lacks_table(const struct server *s)
{
    return s->no_table;
}

int server_query(struct server *s, const char *sql, const struct server_value *values, int n,
                 server_row_fn *each, void *ctx, struct error *err)
{
    const char *text[SERVER_VALUES];
    int lengths[SERVER_VALUES], formats[SERVER_VALUES];
    s->no_table = false;
    if (n > SERVER_VALUES)
        return server_refuse(s, E2BIG, "too many values", err);
    for (int i = 0; i < n; i++) {
        text[i] = values[i].text;
        lengths[i] = (int)values[i].bytes;
        formats[i] = values[i].bytes > 0;
    }
    if (!pq_library()->send_params(s->c, sql, n, NULL, text, lengths, formats, 0) ||
        !pq_library()->single_rows(s->c))
        return server_refuse(s, EIO, pq_library()->message(s->c), err);
    return finish_statement(s, each, ctx, err);
}

const char *server_text(const struct server_row *r, int column)
{
    return pq_library()->is_null(r->r, r->at, column) ? NULL
                                                      : pq_library()->value(r->r, r->at, column);
}

unsigned char *server_bytes(const struct server_row *r, int column, size_t *n)
{
    *n = 0;
    if (pq_library()->is_null(r->r, r->at, column))
        return NULL;
    return pq_library()->unescape((const unsigned char *)pq_library()->value(r->r, r->at, column),
                                  n);
}

void server_bytes_free(unsigned char *bytes)
{
    pq_library()->free_memory(bytes);
}
