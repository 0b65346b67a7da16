/* The lists of the view of system calls. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/watch.h"
#include "engine/value/query.h"
#include "tui/views/syscalls/syscalls.h"

enum { CHECK_EVERY = 4096 };

static const char letters[SYSCALLS_LISTS + 1] = "copfeh";

/* --- identities --- */

/* A number that names the row in its list in all snapshots of a trace. */
static uint64_t syscall_row_id_of(enum syscalls_list list, const void *row)
{
    const struct syscalls_call_row *call = row;
    switch (list) {
    case SYSCALLS_CALLS:
        return syscalls_call_id(call->abi, call->number) - 1;
    case SYSCALLS_ORIGINS:
        return ((const struct syscalls_origin_row *)row)->index;
    case SYSCALLS_PROCESSES:
        return ((const struct syscalls_process_row *)row)->index;
    case SYSCALLS_FILES:
        return ((const struct syscalls_file_row *)row)->index;
    case SYSCALLS_EVENTS:
        return ((const struct syscalls_event_row *)row)->number;
    case SYSCALLS_FINDINGS:
        return (uint64_t)(((const struct antipattern_finding *)row)->rule - antipattern_table);
    case SYSCALLS_LISTS:
        break;
    }
    return 0;
}

/* Writes the key of row i of a list ("y:c0:17"): it names the same thing in later snapshots. */
static void syscalls_key(const struct syscalls_snapshot *p, enum syscalls_list list, size_t i,
                         char out[VIEW_TEXT_MAX])
{
    struct syscalls_event_row buf;
    const void *row = syscalls_lists[list].row(p, i, &buf);
    snprintf(out, VIEW_TEXT_MAX, "y:%c%" PRIu64, letters[list], syscall_row_id_of(list, row));
}

/* The list of a key and its number; false: it is none. */
static bool read_syscall_key(const char *key, enum syscalls_list *list, uint64_t *id)
{
    if (strncmp(key, "y:", 2) != 0 || !key[2] || !strchr(letters, key[2]))
        return false;
    *list = (enum syscalls_list)(strchr(letters, key[2]) - letters);
    *id = strtoull(key + 3, NULL, 10);
    return true;
}

/* The list's index of a row; -1: it is gone. */
static int64_t find_syscall_row(const struct syscalls_snapshot *p, enum syscalls_list list,
                                uint64_t id)
{
    const struct syscalls_list_ops *ops = &syscalls_lists[list];
    struct syscalls_event_row buf;
    const size_t n = ops->count(p);
    if (list == SYSCALLS_EVENTS) /* the newest is first */
        return id >= p->tail.first && id - p->tail.first < n
                   ? (int64_t)(n - 1 - (id - p->tail.first))
                   : -1;
    for (size_t i = 0; i < n; i++)
        if (syscall_row_id_of(list, ops->row(p, i, &buf)) == id)
            return (int64_t)i;
    return -1;
}

const void *syscalls_find(const struct syscalls_snapshot *p, const char *key,
                          enum syscalls_list *list, struct syscalls_event_row *buf)
{
    uint64_t id;
    if (!read_syscall_key(key, list, &id))
        return NULL;
    const int64_t i = find_syscall_row(p, *list, id);
    return i < 0 ? NULL : syscalls_lists[*list].row(p, (size_t)i, buf);
}

/* --- which rows, in which order --- */

struct comparing {
    const struct syscalls_view *own;
    const struct list_field *order;
    bool reverse;
};

static int compare_rows(const void *a, const void *b, void *ctx)
{
    const struct comparing *k = ctx;
    const struct syscalls_view *own = k->own;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    struct syscalls_event_row bx, by;
    int c;
    if (own->number) {
        const double p = own->number[x], q = own->number[y];
        c = isnan(p) || isnan(q) ? isnan(p) - isnan(q) : (p < q) - (p > q);
        c = k->order->least ? -c : c;
    } else {
        const struct syscalls_list_ops *ops = &syscalls_lists[own->list];
        c = list_field_compare(k->order, ops->row(own->p, x, &bx), ops->row(own->p, y, &by));
    }
    if (c)
        return k->reverse ? -c : c;
    return (x > y) - (x < y);
}

static void put_numbers(struct syscalls_view *own, const struct list_field *order, size_t n)
{
    const struct syscalls_list_ops *ops = &syscalls_lists[own->list];
    struct syscalls_event_row buf;
    if (!order->number) {
        free(own->number);
        own->number = NULL;
        own->number_cap = 0;
        return;
    }
    LIST_FIT(own->number, n, own->number_cap);
    for (size_t i = 0; i < n; i++)
        own->number[i] = list_field_number(order, ops->row(own->p, i, &buf));
}

/* Whether the row is of the call that the user chose, if the list is of one call only. */
static bool is_of_only(const struct syscalls_view *own, const void *row)
{
    const struct syscalls_origin_row *r = row;
    return own->list != SYSCALLS_ORIGINS || !own->only ||
           own->only == syscalls_call_id(r->abi, r->number);
}

/* Collects the rows that pass the filter. The user may not want to wait for many of them. */
static void collect_syscall_rows(struct syscalls_view *own, const struct view_state *st)
{
    const struct syscalls_list_ops *ops = &syscalls_lists[own->list];
    struct syscalls_event_row buf;
    const size_t n = ops->count(own->p);
    LIST_FIT(own->rows, n, own->cap);
    own->n = 0;
    own->given_up = false;
    for (size_t i = 0; i < n && !own->given_up; i++) {
        const void *row = ops->row(own->p, i, &buf);
        if (is_of_only(own, row) && (!st->query || query_match(st->query, row)))
            own->rows[own->n++] = (uint32_t)i;
        own->given_up = st->query && i % CHECK_EVERY == CHECK_EVERY - 1 && watch_given_up();
    }
}

static bool is_list_kept(const struct syscalls_view *own, const struct view_state *st)
{
    return own->made_for == own->p && own->serial == own->p->serial &&
           own->made_list == own->list && own->made_only == own->only && own->sort == st->sort &&
           own->reverse == st->reverse && strcmp(own->filter, st->filter) == 0;
}

/* The lists come in their first order already; events as they came. */
static void make_syscall_rows(struct syscalls_view *own, const struct view_state *st)
{
    const struct list_field *order = list_fields_sort(syscalls_lists[own->list].fields, st->sort);
    if (is_list_kept(own, st))
        return;
    own->made_for = own->p;
    own->serial = own->p->serial;
    own->made_list = own->list;
    own->made_only = own->only;
    own->sort = st->sort;
    own->reverse = st->reverse;
    snprintf(own->filter, sizeof own->filter, "%s", st->filter);
    collect_syscall_rows(own, st);
    if (st->sort != 0 && own->n) {
        put_numbers(own, order, syscalls_lists[own->list].count(own->p));
        struct comparing k = {own, order, st->reverse};
        qsort_r(own->rows, own->n, sizeof *own->rows, compare_rows, &k);
    } else if (st->reverse) {
        for (size_t i = 0; i < own->n / 2; i++) {
            const uint32_t other = own->rows[own->n - 1 - i];
            own->rows[own->n - 1 - i] = own->rows[i];
            own->rows[i] = other;
        }
    }
}

/* --- the table --- */

static struct style share_style(double share)
{
    return isnan(share) || share < 0.0005 ? STYLE(STYLE_DIM)
                                          : STYLE_LEVEL(STYLE_GRAD_PROC, (int)(100 * share));
}

static struct style event_style(const struct syscalls_event_row *r)
{
    if (r->e.kind != SYSCALL_CALL)
        return STYLE(STYLE_TITLE);
    return STYLE(syscall_failed(&r->e) ? STYLE_WARN : STYLE_TEXT);
}

static struct style cell_style(const struct syscalls_view *own, const struct list_field *f,
                               const void *row)
{
    const bool main = f == &syscalls_lists[own->list].fields[0];
    const char *name = f->name;
    if (own->list == SYSCALLS_EVENTS)
        return strcmp(name, "text") == 0 ? event_style(row) : STYLE(STYLE_DIM);
    if (own->list == SYSCALLS_FINDINGS) {
        if (((const struct antipattern_finding *)row)->confidence < ANTIPATTERN_THRESHOLD)
            return STYLE(STYLE_DIM);
        return STYLE(strcmp(name, "evidence") == 0 ? STYLE_TEXT : STYLE_WARN);
    }
    if (strcmp(name, "share") == 0)
        return share_style(list_field_number(f, row) / 100);
    if (strcmp(name, "errors") == 0)
        return STYLE(list_field_number(f, row) > 0 ? STYLE_WARN : STYLE_DIM);
    return STYLE(main || strcmp(name, "name") == 0 || strcmp(name, "time") == 0 ||
                         strcmp(name, "calls") == 0 || strcmp(name, "where") == 0
                     ? STYLE_TEXT
                     : STYLE_DIM);
}

static void add_callers(const struct syscalls_origin_row *r, char text[TABLE_CELL_MAX])
{
    char callers[FIELD_TEXT_MAX];
    const size_t n = strlen(text);
    syscalls_origin_callers(r, callers, sizeof callers);
    if (callers[0] && n + 4 < TABLE_CELL_MAX)
        snprintf(text + n, TABLE_CELL_MAX - n, " < %s", callers);
}

static void list_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct syscalls_view *own = ctx;
    struct syscalls_event_row buf;
    const void *row = syscalls_lists[own->list].row(own->p, own->rows[i], &buf);
    const struct list_field *f = own->columns.field[col];
    *st = cell_style(own, f, row);
    if ((f->unit == UNIT_COUNT || f->unit == UNIT_BYTES) && f->number && f->number(row) == 0)
        snprintf(text, TABLE_CELL_MAX, "-");
    else if (own->list == SYSCALLS_EVENTS && strcmp(f->name, "at") == 0)
        snprintf(text, TABLE_CELL_MAX, "%.6f", list_field_number(f, row));
    else
        table_field_text(f, row, "-", text);
    if (own->list == SYSCALLS_ORIGINS && strcmp(f->name, "where") == 0)
        add_callers(row, text);
}

static void list_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct syscalls_view *own = ctx;
    syscalls_key(own->p, own->list, own->rows[i], out);
}

/* Rows are searched by their index, which is cheaper than by their keys. */
static int list_find(const void *ctx, const char *key, int last)
{
    const struct syscalls_view *own = ctx;
    enum syscalls_list list;
    uint64_t id;
    const int64_t i = read_syscall_key(key, &list, &id) && list == own->list
                          ? find_syscall_row(own->p, list, id)
                          : -1;
    if (i < 0)
        return -1;
    if (last >= 0 && (size_t)last < own->n && own->rows[last] == i)
        return last;
    if (own->n == syscalls_lists[list].count(own->p) && own->sort == 0 && !own->reverse)
        return (int)i;
    for (size_t k = 0; k < own->n; k++)
        if (own->rows[k] == i)
            return (int)k;
    return -1;
}

static bool list_match(const void *ctx, size_t i, const char *needle)
{
    const struct syscalls_view *own = ctx;
    struct syscalls_event_row buf;
    char text[FIELD_TEXT_MAX];
    const void *row = syscalls_lists[own->list].row(own->p, own->rows[i], &buf);
    for (const struct list_field *f = syscalls_lists[own->list].fields; f->name; f++)
        if (f->plain && f->text && table_contains(f->text(row, text), needle))
            return true;
    return false;
}

static void draw_none(struct canvas *c, struct rect r, const struct syscalls_view *own)
{
    static const char *const none[SYSCALLS_LISTS] = {
        [SYSCALLS_CALLS] = "no call has returned yet",
        [SYSCALLS_ORIGINS] = "no call has returned yet",
        [SYSCALLS_PROCESSES] = "no process was seen yet",
        [SYSCALLS_FILES] = "no file, pipe or socket was used yet",
        [SYSCALLS_EVENTS] = "no call has returned yet",
        [SYSCALLS_FINDINGS] = "no anti-pattern was found",
    };
    const bool all = syscalls_lists[own->list].count(own->p) == 0;
    canvas_text(c, r.x, r.y + 2, r.w, all ? none[own->list] : "no row matches the filter",
                STYLE(STYLE_DIM));
}

void syscalls_list_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                        struct view_state *st)
{
    struct syscalls_view *own = st->own;
    own->p = p;
    own->list = syscalls_list_of(st);
    make_syscall_rows(own, st);
    table_fields(&own->columns, syscalls_lists[own->list].fields);
    const struct list_field *order = list_fields_sort(syscalls_lists[own->list].fields, st->sort);
    const struct table t = {.columns = own->columns.columns,
                            .ncolumns = own->columns.n,
                            .fields = &own->columns,
                            .ctx = own,
                            .nrows = own->n,
                            .sort = table_fields_sorted(&own->columns, st->sort),
                            .reverse = (order->text != NULL) != st->reverse,
                            .cell = list_cell,
                            .key = list_key,
                            .find = list_find,
                            .match = list_match};
    table_draw(c, r, &t, st);
    if (own->n == 0)
        draw_none(c, r, own);
    else if (own->given_up)
        canvas_text_right(c, r.x, r.y, r.w, "not all rows were looked at", STYLE(STYLE_WARN));
}
