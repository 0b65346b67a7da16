#include "backends/rocpd/direct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/timeline.h"
#include "base/arena.h"

enum { LOOK_EVERY = 8192 /* rows between two looks at the user */, ABSENT = 255 };

/* Where a table is, and which of its columns are wanted. */
struct rocpd_layout {
    uint32_t root, columns; /* as many are read of each row */
    int64_t alias;          /* the column that is the row id; -1 none */
    uint8_t place[ROCPD_COLUMNS + 1];
    char *text[ROCPD_COLUMNS]; /* what was asked for last */
    uint32_t text_cap[ROCPD_COLUMNS];
};

static int64_t number(sqlite3 *db, const char *sql, const char *table)
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

/* Every column must be one that lies in the row as it is told; none may hide the row id. */
static bool find_columns(struct rocpd_layout *l, sqlite3 *db, const char *table,
                         const char *const *columns)
{
    sqlite3_stmt *st = NULL;
    uint32_t keys = 0, at = 0;
    bool plain = sqlite3_prepare_v2(db, "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?1)",
                                    -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC) == SQLITE_OK;
    memset(l->place, ABSENT, sizeof l->place);
    l->alias = -1;
    for (; plain && sqlite3_step(st) == SQLITE_ROW; at++) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        const char *type = (const char *)sqlite3_column_text(st, 1);
        bool key = sqlite3_column_int(st, 2) > 0;
        plain = name && sqlite3_stricmp(name, "rowid") != 0 && sqlite3_column_int(st, 3) == 0;
        keys += key;
        if (key && type && sqlite3_stricmp(type, "INTEGER") == 0)
            l->alias = at;
        for (int i = 0; plain && columns[i]; i++)
            if (sqlite3_stricmp(name, columns[i]) == 0 && l->place[i] == ABSENT && at < ABSENT) {
                l->place[i] = (uint8_t)at;
                l->columns = at + 1;
            }
    }
    sqlite3_finalize(st);
    if (keys != 1)
        l->alias = -1;
    return plain;
}

static bool find_layout(struct rocpd_layout *l, sqlite3 *db, const char *table,
                        const char *const *columns)
{
    int64_t root = number(db,
                          "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1 "
                          "COLLATE NOCASE",
                          table);
    if (root <= 0 || root > UINT32_MAX || !find_columns(l, db, table, columns))
        return false;
    l->root = (uint32_t)root;
    return l->columns > 0 && l->columns <= SQLITE_PAGES_COLUMNS;
}

/* --- values --- */

static inline enum sqlite_value_kind value(const struct rocpd_layout *l,
                                           const struct sqlite_row *row, int column, int64_t *v,
                                           double *d, uint32_t *n)
{
    uint8_t at = l->place[column];
    if (at == ABSENT)
        return VALUE_NULL;
    enum sqlite_value_kind kind = sqlite_row_value(row, at, v, d, n);
    if (kind != VALUE_NULL || at != l->alias)
        return kind;
    *v = row->rowid;
    return VALUE_INT;
}

enum sqlite_value_kind rocpd_direct_value(const struct rocpd_select *s, int column, int64_t *v,
                                          double *d)
{
    uint32_t n;
    if (column == s->stack) {
        *v = s->direct_stack;
        return s->direct_stack == ROCM_UNKNOWN ? VALUE_NULL : VALUE_INT;
    }
    return value(s->layout, s->direct, column, v, d, &n);
}

bool rocpd_direct_is(const struct rocpd_select *s, int column, const char *text)
{
    int64_t v;
    double d;
    uint32_t n;
    return value(s->layout, s->direct, column, &v, &d, &n) == VALUE_TEXT && n == strlen(text) &&
           memcmp(s->direct->at[s->layout->place[column]], text, n) == 0;
}

const char *rocpd_direct_text(const struct rocpd_select *s, int column)
{
    struct rocpd_layout *l = s->layout;
    int64_t v;
    double d;
    uint32_t n;
    if (value(l, s->direct, column, &v, &d, &n) != VALUE_TEXT)
        return NULL;
    if (n >= l->text_cap[column]) {
        l->text_cap[column] = n + 64;
        l->text[column] = xrealloc(l->text[column], l->text_cap[column], 1);
    }
    memcpy(l->text[column], s->direct->at[l->place[column]], n);
    l->text[column][n] = '\0';
    return l->text[column];
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
    struct rocpd_layout layout;
    struct sqlite_file *file;
    bool guid;
    uint64_t rows;
};
enum { EVENT_ID, EVENT_STACK, EVENT_GUID };

static int event_row(void *ctx, const struct sqlite_row *row)
{
    struct event_pass *p = ctx;
    struct rocpd_events *e = p->e;
    int64_t id, stack = ROCM_UNKNOWN;
    double d;
    uint32_t n = 0;
    if (++p->rows % LOOK_EVERY == 0 && sqlite_file_progress(p->file) != 0)
        return -ECANCELED;
    if (value(&p->layout, row, EVENT_ID, &id, &d, &n) != VALUE_INT || id < 0 ||
        (uint64_t)id >= e->n)
        return -EDOM;
    enum sqlite_value_kind kind = value(&p->layout, row, EVENT_STACK, &stack, &d, &n);
    if (kind != VALUE_INT && kind != VALUE_NULL)
        return -EDOM;
    if (p->guid) {
        kind = value(&p->layout, row, EVENT_GUID, &(int64_t){0}, &d, &n);
        if (kind != VALUE_TEXT)
            return -EDOM;
        const char *text = (const char *)row->at[p->layout.place[EVENT_GUID]];
        if (memchr(text, 0, n))
            return -EDOM;
        if (!e->guid) {
            e->guid = xcalloc(1, n + 1u);
            memcpy(e->guid, text, n);
        }
        if (strlen(e->guid) != n || memcmp(e->guid, text, n) != 0)
            return -EDOM; /* several runs in one table: SQLite joins them */
    }
    e->stack[id] = kind == VALUE_NULL ? ROCM_UNKNOWN : stack;
    return 0;
}

static int read_events(struct rocpd_select *s, const char *table, bool guid, struct rocpd_events *e)
{
    static const char *const columns[] = {"id", "stack_id", "guid", NULL};
    struct event_pass p = {.e = e, .file = s->file, .guid = guid};
    int64_t last, n = 0;
    if (e->table && strcmp(e->table, table) == 0)
        return 0;
    rocpd_events_forget(e);
    e->table = xstrdup(table);
    if (!find_layout(&p.layout, s->file->db, table, columns) ||
        p.layout.alias != p.layout.place[EVENT_ID])
        return 0;
    char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\" WHERE ?1 <> ''", table);
    n = sql ? number(s->file->db, sql, table) : 0;
    sqlite3_free(sql);
    if (n <= 0 || (uint64_t)n > sqlite_pages_size(s->file->pages) / 4)
        return 0; /* far apart: no array */
    e->n = (uint64_t)n + 1;
    e->stack = xcalloc(e->n, sizeof *e->stack);
    for (uint64_t i = 0; i < e->n; i++)
        e->stack[i] = ROCM_UNKNOWN;
    int rc =
        sqlite_pages_each(s->file->pages, p.layout.root, p.layout.columns, event_row, &p, &last);
    e->usable = rc == 0;
    return rc == -ECANCELED ? rc : 0;
}

/* --- rows --- */

struct row_pass {
    struct rocpd_select *s;
    const struct rocpd_events *events; /* NULL: not asked for */
    int event_id, guid;                /* columns; guid -1: not compared */
};

/* false: this row's event is SQLite's to find. */
static bool find_stack(struct row_pass *p)
{
    struct rocpd_select *s = p->s;
    int64_t id;
    double d;
    s->direct_stack = ROCM_UNKNOWN;
    enum sqlite_value_kind kind = rocpd_direct_value(s, p->event_id, &id, &d);
    if (kind == VALUE_NULL)
        return true;
    if (kind != VALUE_INT)
        return false;
    if (id >= 0 && (uint64_t)id < p->events->n &&
        (p->guid < 0 || (p->events->guid && rocpd_direct_is(s, p->guid, p->events->guid))))
        s->direct_stack = p->events->stack[id];
    return true;
}

static int one_row(void *ctx, const struct sqlite_row *row)
{
    struct row_pass *p = ctx;
    struct rocpd_select *s = p->s;
    s->direct = row;
    if (p->events && !find_stack(p))
        return -EAGAIN;
    s->row++;
    if (++s->file->done % LOOK_EVERY == 0 && sqlite_file_progress(s->file) != 0)
        return -ECANCELED;
    s->rc = s->each(s->ctx, s);
    return s->rc;
}

static int column_of(const struct rocpd_columns *c, const char *name)
{
    for (int i = 0; c->columns[i]; i++)
        if (strcmp(c->columns[i], name) == 0)
            return i;
    return -1;
}

int rocpd_direct(struct rocpd_select *s, const struct rocpd_columns *c, const char *events,
                 bool guid, struct rocpd_events *kept)
{
    struct rocpd_layout layout = {0};
    struct row_pass p = {.s = s, .event_id = column_of(c, "event_id"), .guid = -1};
    s->last = INT64_MIN;
    if (!s->file->pages || !find_layout(&layout, s->file->db, s->table, c->columns))
        return -EAGAIN;
    if (events) {
        int rc = read_events(s, events, guid, kept);
        if (rc != 0 || !kept->usable)
            return rc != 0 ? rc : -EAGAIN;
        p.events = kept;
        p.guid = guid ? column_of(c, "guid") : -1;
    }
    s->layout = &layout;
    int rc = sqlite_pages_each(s->file->pages, layout.root, layout.columns, one_row, &p, &s->last);
    s->direct = NULL;
    s->layout = NULL;
    for (int i = 0; i < ROCPD_COLUMNS; i++)
        free(layout.text[i]);
    return rc;
}
