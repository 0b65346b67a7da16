/*
 * System calls: a list (by call, by process, by file, as they come, anti-patterns), above it how
 * they are traced and rates over time, below it the anti-patterns that were found.
 */
#include "tui/views/syscalls/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAIL_ROWS = 7, LEAST_ROWS = 5 };

enum syscalls_list syscalls_list_of(const struct view_state *st)
{
    return (enum syscalls_list)((unsigned)st->mode % SYSCALLS_LISTS);
}

static const struct list_field *fields_now(const struct view_state *st)
{
    return syscalls_lists[syscalls_list_of(st)].fields;
}

static void free_syscalls(void *own)
{
    struct syscalls_view *o = own;
    free(o->rows);
    free(o->number);
}

/* Below the list of anti-patterns: the selected one. */
static void draw_with_finding(struct canvas *c, struct rect r, const struct syscalls_picture *p,
                              struct view_state *st)
{
    struct syscalls_event_row buf;
    enum syscalls_list list;
    const int most = r.h - LEAST_ROWS, rows = most < DETAIL_ROWS ? most : DETAIL_ROWS;
    struct rect below = {r.x, r.y + r.h - rows, r.w, rows};
    if (rows > 2)
        r.h -= rows;
    syscalls_list_draw(c, r, p, st);
    const void *row = rows > 2 ? syscalls_find(p, st->selected_key, &list, &buf) : NULL;
    if (row)
        syscalls_finding_draw(c, below, row);
}

static void draw_with_findings(struct canvas *c, struct rect r, const struct syscalls_picture *p,
                               struct view_state *st)
{
    const int rows = st->pane ? 0 : syscalls_findings_rows(p, r.h);
    r.h -= rows;
    syscalls_list_draw(c, r, p, st);
    if (rows)
        syscalls_findings_draw(c, (struct rect){r.x, r.y + r.h, r.w, rows}, p);
}

static void draw_syscalls(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    const struct syscalls_picture *p = model_syscalls(m);
    const enum syscalls_list list = syscalls_list_of(st);
    const struct list_field *order = list_fields_sort(fields_now(st), st->sort);
    char title[96], right[160];
    st->sort = order ? st->sort : 0;
    order = order ? order : list_fields_sort(fields_now(st), 0);
    snprintf(title, sizeof title, "system calls: %s", syscalls_lists[list].title);
    snprintf(right, sizeof right, "%s by %s%s%.40s%s",
             m->moment[0] ? m->moment : syscalls_state_name(p->state), list_field_sort_name(order),
             st->filter[0] ? "  filter '" : "", st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), title, right);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    const int used = syscalls_head_draw(c, r, p);
    r.y += used;
    r.h -= used;
    if (list == SYSCALLS_FINDINGS)
        draw_with_finding(c, r, p, st);
    else
        draw_with_findings(c, r, p, st);
}

/* Each list keeps its order and its cursor. A filter is about the fields of one list. */
static void next_list(struct view_state *st)
{
    struct syscalls_view *own = st->own;
    struct syscalls_kept *k = &own->kept[syscalls_list_of(st)];
    k->sort = st->sort;
    k->reverse = st->reverse;
    snprintf(k->key, sizeof k->key, "%s", st->follow ? st->selected_key : "");
    st->mode = ((int)syscalls_list_of(st) + 1) % SYSCALLS_LISTS;
    k = &own->kept[syscalls_list_of(st)];
    st->sort = k->sort;
    st->reverse = k->reverse;
    snprintf(st->selected_key, sizeof st->selected_key, "%s", k->key);
    st->follow = k->key[0] != '\0';
    st->pinned = false;
    st->selected = st->scroll = 0;
    st->filter[0] = '\0';
    st->query = NULL;
}

static enum view_result act_in_syscalls(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_SYSCALLS_LIST:
        next_list(st);
        return VIEW_HANDLED;
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return VIEW_HANDLED;
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static bool syscalls_available(const struct model *m)
{
    return model_syscalls(m) != NULL;
}

const struct view_ops view_syscalls = {
    .name = "syscalls",
    .title = "syscalls",
    .select = ACTION_VIEW_SYSCALLS,
    .contexts = CONTEXT_LIST | CONTEXT_SYSCALLS,
    .available = syscalls_available,
    .absent =
        "Nothing was traced: Y traces the watched program (rooftop -- COMMAND, rooftop -p PID, "
        "or a in the process list) and slows it down; or open a saved trace: "
        "rooftop trace --format json -o FILE, then rooftop FILE",
    .own_size = sizeof(struct syscalls_view),
    .own_free = free_syscalls,
    .draw = draw_syscalls,
    .act = act_in_syscalls,
    .menu = syscalls_menu,
    .fields = syscalls_call_fields,
    .fields_now = fields_now,
};
