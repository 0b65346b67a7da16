#include "backends/rocpd/rocpd_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/timeline.h"
#include "base/arena.h"
#include "base/list.h"

/* Reports the last error, with the table and row where it happened. */
static int fail_select(const struct rocpd_select *s)
{
    char what[192];
    struct sqlite_file *f = s->file;
    if (f->given_up)
        return f->given_up;
    snprintf(what, sizeof what, "%.90s: table %.70s, row %llu", f->path, s->table,
             (unsigned long long)s->row);
    return error_set(f->err, ERROR_INPUT, EIO, f->help, what, "%s", sqlite3_errmsg(f->db));
}

static char *join_texts(const char *a, const char *b)
{
    char *text = xcalloc(1, strlen(a) + strlen(b) + 1);
    return strcat(strcpy(text, a), b);
}

/* --- tables --- */

int rocpd_tables_read(struct rocpd_tables *t, struct sqlite_file *f)
{
    static const char sql[] = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
                              " AND name LIKE 'rocpd\\_%' ESCAPE '\\' ORDER BY name COLLATE NOCASE";
    sqlite3_stmt *st = NULL;
    struct rocpd_select list = {.file = f, .table = (char *)"sqlite_master"};
    int code = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(st);
        const char *name = code == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
        if (name)
            LIST_ADD(t->names, t->n, t->cap, xstrdup(name));
        list.row++;
    }
    int rc = code == SQLITE_DONE ? 0 : fail_select(&list);
    sqlite3_finalize(st);
    return rc;
}

void rocpd_tables_free(struct rocpd_tables *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        free(t->names[i]);
    free(t->names);
    *t = (struct rocpd_tables){0};
}

static int by_column_name(const void *key, const void *name)
{
    return sqlite3_stricmp(key, *(char *const *)name);
}

static bool has_table(const struct rocpd_tables *t, const char *name)
{
    return t->n && bsearch(name, t->names, t->n, sizeof *t->names, by_column_name);
}

bool rocpd_has(const struct rocpd_tables *t, const char *table, const char *suffix)
{
    char *name = join_texts(table, suffix);
    bool found = has_table(t, name);
    free(name);
    return found;
}

/* The number that a query returns; 0 if it returns none. */
static int64_t ask_query_number(struct sqlite_file *f, char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t answer = 0;
    if (sql && sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        answer = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return answer;
}

uint64_t rocpd_rows(struct sqlite_file *f, const struct rocpd_tables *t, const char *table,
                    const char *suffix)
{
    int64_t last = 0;
    if (rocpd_has(t, table, suffix))
        last =
            ask_query_number(f, sqlite3_mprintf("SELECT max(rowid) FROM \"%w%w\"", table, suffix));
    return last > 0 ? (uint64_t)last : 0;
}

/* --- columns --- */

static int find_select_columns(struct rocpd_select *s, const char *table,
                               const char *const *columns, uint32_t *found)
{
    return sqlite_file_columns(s->file, table, columns, 32, found) ? 0 : fail_select(s);
}

/* Builds the join that adds an event's stack_id, once for each row: through the events' primary key
 * if the file has one, else through an index that SQLite makes temporarily, never in the file. */
static int join_events(struct rocpd_select *s, const char *table, bool guid, char **join)
{
    static const char *const columns[] = {"id", "stack_id", "guid", NULL};
    uint32_t found = 0;
    int rc = find_select_columns(s, table, columns, &found);
    if (rc != 0 || (found & 3) != 3)
        return rc;
    guid &= found >> 2 & 1;
    const bool key = ask_query_number(
        s->file, sqlite3_mprintf("SELECT sum(pk > 0) = 1 AND max(pk = 1 AND lower(name) ="
                                 " 'id') FROM pragma_table_info(%Q)",
                                 table));
    const char *and_guid = guid ? " AND e.\"guid\" = t.\"guid\"" : "";
    if (key)
        *join = sqlite3_mprintf(" LEFT JOIN \"%w\" AS e ON e.\"id\" = t.\"event_id\"%s", table,
                                and_guid);
    else
        *join =
            sqlite3_mprintf(" LEFT JOIN (SELECT \"id\"%s, min(\"stack_id\") AS \"stack_id\" FROM"
                            " \"%w\" GROUP BY 1%s) AS e ON e.\"id\" = t.\"event_id\"%s",
                            guid ? ", \"guid\"" : "", table, guid ? ", 2" : "", and_guid);
    return 0;
}

static bool has_column(const struct rocpd_select *s, const struct rocpd_columns *c,
                       const char *name)
{
    for (int i = 0; c->columns[i]; i++)
        if (strcmp(c->columns[i], name) == 0)
            return s->found >> i & 1;
    return false;
}

/* Builds the query. join: NULL: none. */
static char *sql_of(const struct rocpd_select *s, const struct rocpd_columns *c, const char *join)
{
    char list[ROCPD_COLUMNS * 40] = "";
    size_t used = 0;
    int n = 0;
    for (; c->columns[n]; n++)
        used += (size_t)snprintf(list + used, sizeof list - used,
                                 s->found >> n & 1 ? "%st.\"%s\"" : "%sNULL", n ? ", " : "",
                                 c->columns[n]);
    return sqlite3_mprintf("SELECT rooftop_each(%s%s) FROM \"%w\" AS t%s", list,
                           join ? ", e.\"stack_id\"" : "", s->table, join ? join : "");
}

static void hand_row(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct rocpd_select *s = sqlite3_user_data(context);
    (void)n;
    s->row++;
    s->file->done++;
    s->values = values;
    s->rc = s->each(s->ctx, s);
    s->values = NULL;
    if (s->rc != 0)
        sqlite3_result_error(context, "no more", -1);
}

static void end_select_function(sqlite3_context *context)
{
    (void)context;
}

static int run_select(struct rocpd_select *s, const char *sql)
{
    sqlite3 *db = s->file->db;
    sqlite3_stmt *st = NULL;
    int code = sqlite3_create_function_v2(db, "rooftop_each", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                          s, NULL, hand_row, end_select_function, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(st);
    int rc = s->rc;
    if (rc == 0 && code != SQLITE_ROW)
        rc = fail_select(s);
    sqlite3_finalize(st);
    return rc;
}

/* Refuses a table that lacks a necessary column. */
static int check_columns(const struct rocpd_select *s, const struct rocpd_columns *c)
{
    char what[192];
    for (int i = 0; c->columns[i]; i++)
        if (c->needed >> i & 1 & ~(s->found >> i)) {
            snprintf(what, sizeof what, "%.90s: table %.70s", s->file->path, s->table);
            return error_set(s->file->err, ERROR_INPUT, EINVAL, s->file->help, what,
                             "it has no column \"%s\"", c->columns[i]);
        }
    return 0;
}

/* Reads all rows of a checked table. */
static int read_rocpd_rows(struct rocpd_select *s, const struct rocpd_columns *c,
                           const char *events)
{
    char *join = NULL;
    int n = 0, rc = 0;
    if (events && has_column(s, c, "event_id"))
        rc = join_events(s, events, has_column(s, c, "guid"), &join);
    while (c->columns[n])
        n++;
    if (join) {
        s->stack = n;
        s->found |= UINT32_C(1) << n;
    }
    if (rc == 0) {
        char *sql = sql_of(s, c, join);
        rc = sql ? run_select(s, sql) : -ENOMEM;
        sqlite3_free(sql);
    }
    sqlite3_free(join);
    return rc;
}

int rocpd_select(struct sqlite_file *f, const struct rocpd_tables *t, const char *suffix,
                 const struct rocpd_columns *c, bool stacks,
                 int (*each)(void *ctx, const struct rocpd_select *row), void *ctx)
{
    struct rocpd_select s = {
        .file = f, .table = join_texts(c->table, suffix), .stack = -1, .each = each, .ctx = ctx};
    char *events = join_texts("rocpd_event", suffix);
    int rc = 0;
    if (has_table(t, s.table)) {
        rc = find_select_columns(&s, s.table, c->columns, &s.found);
        if (rc == 0)
            rc = check_columns(&s, c);
        if (rc == 0)
            rc = read_rocpd_rows(&s, c, stacks && has_table(t, events) ? events : NULL);
    }
    free(events);
    free(s.table);
    return rc;
}

/* --- values --- */

/* Converts a real number to an integer; exact up to 2^53. */
static int64_t real_to_integer(double v)
{
    bool fits = v >= -9007199254740992.0 && v <= 9007199254740992.0;
    return fits && v == (double)(int64_t)v ? (int64_t)v : ROCM_UNKNOWN;
}

int64_t rocpd_whole(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_FLOAT ? real_to_integer(sqlite3_value_double(v))
                                                 : ROCM_UNKNOWN;
}

uint32_t rocpd_count(const struct rocpd_select *s, int column)
{
    int64_t v = rocpd_int(s, column);
    return v >= 0 && v < (int64_t)TRACE_UNKNOWN ? (uint32_t)v : TRACE_UNKNOWN;
}

const char *rocpd_text(const struct rocpd_select *s, int column)
{
    sqlite3_value *v = s->values[column];
    return sqlite3_value_type(v) == SQLITE_TEXT ? (const char *)sqlite3_value_text(v) : NULL;
}

bool rocpd_text_is(const struct rocpd_select *s, int column, const char *text, size_t n)
{
    const char *is = rocpd_text(s, column);
    return is && (size_t)sqlite3_value_bytes(s->values[column]) == n && memcmp(is, text, n) == 0;
}

bool rocpd_real(const struct rocpd_select *s, int column, double *out)
{
    const int type = sqlite3_value_type(s->values[column]);
    const bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (number)
        *out = sqlite3_value_double(s->values[column]);
    return number;
}
