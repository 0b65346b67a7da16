/* The lists of the view of system calls. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/syscalls/syscalls.h"

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

/* Writes the key of a row ("y:c0:17"): it names the same thing in later snapshots. */
static void syscalls_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    const enum syscalls_list list = ((const struct syscalls_view *)own)->list;
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

/* --- which rows --- */

static const void *listed_syscall_row(const void *view, size_t i, void *made)
{
    const struct syscalls_view *own = view;
    return syscalls_lists[own->list].row(own->p, i, made);
}

/* Whether the row is of the call that the user chose, if the list is of one call only. */
static bool is_of_only(const void *view, const void *row)
{
    const struct syscalls_view *own = view;
    const struct syscalls_origin_row *r = row;
    return own->list != SYSCALLS_ORIGINS || !own->only ||
           own->only == syscalls_call_id(r->abi, r->number);
}

/* Rows are searched by their number in the list, which is cheaper than by their keys. */
static size_t find_listed_row(const void *view, const char *key)
{
    const struct syscalls_view *own = view;
    enum syscalls_list list;
    uint64_t id;
    if (!read_syscall_key(key, &list, &id) || list != own->list)
        return SIZE_MAX;
    const int64_t i = find_syscall_row(own->p, list, id);
    return i < 0 ? SIZE_MAX : (size_t)i;
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

/* A call that waits is set apart: below the calls that cost time, in words and dim. */
static bool is_waiting_call(const struct syscalls_view *own, const void *row)
{
    return own->list == SYSCALLS_CALLS && ((const struct syscalls_call_row *)row)->waits;
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
    if (is_waiting_call(own, row))
        return STYLE(STYLE_DIM);
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

static void list_cell(const void *view, const void *row, const struct list_field *f,
                      char text[TABLE_CELL_MAX], struct style *st)
{
    const struct syscalls_view *own = view;
    *st = cell_style(own, f, row);
    if (is_waiting_call(own, row) && strcmp(f->name, "share") == 0)
        snprintf(text, TABLE_CELL_MAX, "waits");
    else if ((f->unit == UNIT_COUNT || f->unit == UNIT_BYTES) && f->number && f->number(row) == 0)
        snprintf(text, TABLE_CELL_MAX, "-");
    else if (own->list == SYSCALLS_EVENTS && strcmp(f->name, "at") == 0)
        snprintf(text, TABLE_CELL_MAX, "%.6f", list_field_number(f, row));
    else
        table_field_text(f, row, "-", text);
    if (own->list == SYSCALLS_ORIGINS && strcmp(f->name, "where") == 0)
        add_callers(row, text);
}

void syscalls_list_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                        struct view_state *st)
{
    static const char *const none[SYSCALLS_LISTS] = {
        [SYSCALLS_CALLS] = "no call has returned yet",
        [SYSCALLS_ORIGINS] = "no call has returned yet",
        [SYSCALLS_PROCESSES] = "no process was seen yet",
        [SYSCALLS_FILES] = "no file, pipe or socket was used yet",
        [SYSCALLS_EVENTS] = "no call has returned yet",
        [SYSCALLS_FINDINGS] = "no anti-pattern was found",
    };
    struct syscalls_view *own = st->own;
    own->p = p;
    own->list = syscalls_list_of(st);
    const size_t n = syscalls_lists[own->list].count(p);
    own->listed = (struct list_rows){.fields = syscalls_lists[own->list].fields,
                                     .size = sizeof(struct syscalls_event_row),
                                     .row = listed_syscall_row,
                                     .has = is_of_only,
                                     .first_as_come = true};
    own->ops = (struct rows_ops){.list = &own->listed,
                                 .cell = list_cell,
                                 .key = syscalls_key,
                                 .find = find_listed_row,
                                 .text_up = true};
    rows_collect(&own->rows, &own->ops, own, n,
                 (uint64_t[ROWS_MADE_OF]){(uintptr_t)p, p->serial, own->list, own->only}, st);
    rows_columns(&own->rows);
    rows_draw(c, r, &own->rows, n ? "no row matches the filter" : none[own->list], st);
}
