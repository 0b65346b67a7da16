#include "backends/rocpd/rocpd_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/timeline.h"
#include "base/arena.h"

enum { LOOK_EVERY = 8192 /* rows between two checks for cancelling */ };

/* The root page of a table, and its wanted columns. */
struct table_layout {
    uint32_t root;
    struct sqlite_picks picks;
};

static int64_t table_number(sqlite3 *db, const char *sql, const char *table)
{
    sqlite3_stmt *st = NULL;
    int64_t answer = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        answer = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return answer;
}

/* Finds the columns. Each must be stored in the row as declared, and none may hide the row id. */
static bool find_plain_columns(struct sqlite_picks *p, sqlite3 *db, const char *table,
                               const char *const *columns)
{
    sqlite3_stmt *st = NULL;
    uint32_t keys = 0, at = 0;
    bool plain = sqlite3_prepare_v2(db, "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?1)",
                                    -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC) == SQLITE_OK;
    *p = (struct sqlite_picks){.alias = -1};
    memset(p->column, SQLITE_NO_COLUMN, sizeof p->column);
    while (columns[p->n])
        p->n++;
    for (; plain && sqlite3_step(st) == SQLITE_ROW; at++) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        const char *type = (const char *)sqlite3_column_text(st, 1);
        bool key = sqlite3_column_int(st, 2) > 0;
        plain = name && sqlite3_stricmp(name, "rowid") != 0 && sqlite3_column_int(st, 3) == 0;
        keys += key;
        if (key && type && sqlite3_stricmp(type, "INTEGER") == 0)
            p->alias = (int)at;
        for (uint32_t i = 0; plain && i < p->n && at < SQLITE_NO_COLUMN; i++)
            if (sqlite3_stricmp(name, columns[i]) == 0 && p->column[i] == SQLITE_NO_COLUMN)
                p->column[i] = (uint8_t)at;
    }
    sqlite3_finalize(st);
    if (keys != 1)
        p->alias = -1;
    return plain && at > 0;
}

static bool find_layout(struct table_layout *l, sqlite3 *db, const char *table,
                        const char *const *columns)
{
    int64_t root =
        table_number(db,
                     "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1 "
                     "COLLATE NOCASE",
                     table);
    l->root = root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
    return l->root && find_plain_columns(&l->picks, db, table, columns);
}

/* --- events --- */

void rocpd_events_forget(struct rocpd_events *e)
{
    free(e->table);
    free(e->guid);
    free(e->stack);
    *e = (struct rocpd_events){0};
}

struct event_pass {
    struct rocpd_events *e;
    struct sqlite_file *file;
    bool guid;
    uint64_t rows;
};
enum { EVENT_ID, EVENT_STACK, EVENT_GUID };

static bool is_guid(const char *guid, const struct sqlite_cell *c)
{
    return guid && c->kind == VALUE_TEXT && c->n == strlen(guid) &&
           memcmp(guid, c->bytes, c->n) == 0;
}

/* Checks that all events belong to one run; otherwise SQLite must join them. */
static bool check_guid(struct rocpd_events *e, const struct sqlite_cell *c)
{
    if (!e->guid && c->kind == VALUE_TEXT && !memchr(c->bytes, 0, c->n)) {
        e->guid = xcalloc(1, c->n + 1u);
        memcpy(e->guid, c->bytes, c->n);
    }
    return is_guid(e->guid, c);
}

static int keep_event_stack(void *ctx, const struct sqlite_row *row)
{
    struct event_pass *p = ctx;
    struct rocpd_events *e = p->e;
    const struct sqlite_cell *id = &row->cell[EVENT_ID], *stack = &row->cell[EVENT_STACK];
    if (++p->rows % LOOK_EVERY == 0 && sqlite_file_progress(p->file) != 0)
        return -ECANCELED;
    if (id->kind != VALUE_INT || id->whole < 0 || (uint64_t)id->whole >= e->n ||
        (stack->kind != VALUE_INT && stack->kind != VALUE_NULL) ||
        (p->guid && !check_guid(e, &row->cell[EVENT_GUID])))
        return -EDOM;
    e->stack[id->whole] = stack->kind == VALUE_NULL ? ROCM_UNKNOWN : stack->whole;
    return 0;
}

static int read_rocpd_events(struct rocpd_select *s, const char *table, bool guid,
                             struct rocpd_events *e)
{
    static const char *const columns[] = {"id", "stack_id", "guid", NULL};
    struct event_pass p = {.e = e, .file = s->file, .guid = guid};
    struct table_layout layout;
    int64_t last, n = 0;
    if (e->table && strcmp(e->table, table) == 0)
        return 0;
    rocpd_events_forget(e);
    e->table = xstrdup(table);
    if (!find_layout(&layout, s->file->db, table, columns) ||
        layout.picks.alias != layout.picks.column[EVENT_ID])
        return 0;
    char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\" WHERE ?1 <> ''", table);
    n = sql ? table_number(s->file->db, sql, table) : 0;
    sqlite3_free(sql);
    if (n <= 0 || (uint64_t)n > sqlite_pages_size(s->file->pages) / 4)
        return 0; /* ids too far apart for an array */
    e->n = (uint64_t)n + 1;
    e->stack = xcalloc(e->n, sizeof *e->stack);
    for (uint64_t i = 0; i < e->n; i++)
        e->stack[i] = ROCM_UNKNOWN;
    int rc =
        sqlite_pages_each(s->file->pages, layout.root, &layout.picks, keep_event_stack, &p, &last);
    e->usable = rc == 0;
    return rc == -ECANCELED ? rc : 0;
}

/* --- rows --- */

struct row_pass {
    struct rocpd_select *s;
    const struct rocpd_events *events;           /* NULL: not requested */
    int event_id, guid;                          /* columns; guid -1: not compared */
    struct sqlite_cell cells[ROCPD_COLUMNS + 1]; /* including the stack id */
};

/* Finds the stack id of a row's event; false: SQLite must find it. */
static bool find_stack(const struct row_pass *p, const struct sqlite_cell *cells,
                       struct sqlite_cell *stack)
{
    const struct sqlite_cell *id = &cells[p->event_id];
    *stack = (struct sqlite_cell){.kind = VALUE_NULL};
    if (id->kind == VALUE_NULL)
        return true;
    if (id->kind != VALUE_INT)
        return false;
    if (id->whole >= 0 && (uint64_t)id->whole < p->events->n &&
        (p->guid < 0 || is_guid(p->events->guid, &cells[p->guid])) &&
        p->events->stack[id->whole] != ROCM_UNKNOWN)
        *stack = (struct sqlite_cell){.kind = VALUE_INT, .whole = p->events->stack[id->whole]};
    return true;
}

static int give_direct_row(void *ctx, const struct sqlite_row *row)
{
    struct row_pass *p = ctx;
    struct rocpd_select *s = p->s;
    s->cells = row->cell;
    if (p->events) {
        memcpy(p->cells, row->cell, (size_t)s->stack * sizeof *p->cells);
        if (!find_stack(p, p->cells, &p->cells[s->stack]))
            return -EAGAIN;
        s->cells = p->cells;
    }
    s->row++;
    if (++s->file->done % LOOK_EVERY == 0 && sqlite_file_progress(s->file) != 0)
        return -ECANCELED;
    s->rc = s->each(s->ctx, s);
    return s->rc;
}

static int find_rocpd_column(const struct rocpd_columns *c, const char *name)
{
    for (int i = 0; c->columns[i]; i++)
        if (strcmp(c->columns[i], name) == 0)
            return i;
    return -1;
}

int rocpd_direct(struct rocpd_select *s, const struct rocpd_columns *c, const char *events,
                 bool guid, struct rocpd_events *kept)
{
    struct table_layout layout;
    struct row_pass p = {.s = s, .event_id = find_rocpd_column(c, "event_id"), .guid = -1};
    s->last = INT64_MIN;
    if (!s->file->pages || !find_layout(&layout, s->file->db, s->table, c->columns))
        return -EAGAIN;
    if (events) {
        int rc = read_rocpd_events(s, events, guid, kept);
        if (rc != 0 || !kept->usable)
            return rc != 0 ? rc : -EAGAIN;
        p.events = kept;
        p.guid = guid ? find_rocpd_column(c, "guid") : -1;
    }
    int rc = sqlite_pages_each(s->file->pages, layout.root, &layout.picks, give_direct_row, &p,
                               &s->last);
    s->cells = NULL;
    return rc;
}
