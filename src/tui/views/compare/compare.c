/*
 * The result of rooftop compare: rows ordered by how much and how surely they differ, and both
 * sides over time, aligned at the selected row.
 */
#include "tui/views/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/compare/compare_fields.h"
#include "tui/input/menu.h"
#include "tui/widgets/table.h"

enum { LANES_LEAST = 8, ROWS_LEAST = 6, ZOOM = 3, ZOOM_MOST = 24 };

/* view_state.own: the shown lines (rows and headings of groups) and the lanes below them. */
struct compare_state {
    const struct comparison *c; /* that the lines are of */
    int sort;
    bool reverse;
    char filter[QUERY_MAX];
    int *lines; /* index of a row; -1 - group: the group's heading */
    int n;
    int name_width;
    bool ascii;
    struct table_fields columns;
    double largest; /* largest change in percent */
    struct compare_lanes lanes;
};

static void free_compare(void *own)
{
    struct compare_state *o = own;
    free(o->lines);
    compare_lanes_free(&o->lanes);
}

static const struct compare_row *compared_row_of(const struct compare_state *shown, size_t i)
{
    return shown->lines[i] < 0 ? NULL : &shown->c->rows[shown->lines[i]];
}

static bool is_changed_row(const struct compare_row *r)
{
    return r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
}

/* --- order --- */

static int compare_by_column(const void *x, const void *y, void *ctx)
{
    const struct compare_state *shown = ctx;
    const struct compare_row *a = &shown->c->rows[*(const int *)x],
                             *b = &shown->c->rows[*(const int *)y];
    int c = list_field_compare(list_fields_sort(compare_fields, shown->sort), a, b);
    c = c ? c : strcmp(a->label, b->label);
    c = c ? c : strcmp(a->id, b->id);
    return shown->reverse ? -c : c;
}

/* Whether both sides are 0, so that the row is not shown. */
static bool is_zero_row(const struct compare_row *r)
{
    return r->a.mean == 0 && r->b.mean == 0 && r->group != RUN_TIME;
}

static void collect_differences(const struct comparison *c, const struct view_state *st)
{
    struct compare_state *shown = st->own;
    if (shown->c == c && shown->sort == st->sort && shown->reverse == st->reverse &&
        strcmp(shown->filter, st->filter) == 0)
        return;
    shown->c = c;
    shown->sort = st->sort;
    shown->reverse = st->reverse;
    snprintf(shown->filter, sizeof shown->filter, "%s", st->filter);
    shown->n = 0;
    shown->largest = 1;
    shown->lines = xrealloc(shown->lines, c->n + RUN_GROUPS + 1, sizeof *shown->lines);
    for (size_t i = 0, group = RUN_GROUPS; i < c->n; i++) {
        const struct compare_row *r = &c->rows[i];
        if (is_zero_row(r) || !query_match(st->query, r))
            continue;
        if (st->sort == 0 && (size_t)r->group != group)
            shown->lines[shown->n++] = -1 - (int)r->group;
        group = (size_t)r->group;
        shown->lines[shown->n++] = (int)i;
        if (is_changed_row(r) && r->group != RUN_MACHINE && !isnan(r->change))
            shown->largest = fmax(shown->largest, fmin(fabs(r->change), 100));
    }
    if (st->sort && shown->n)
        qsort_r(shown->lines, (size_t)shown->n, sizeof *shown->lines, compare_by_column, shown);
}

/* --- cells --- */

static void write_side_mean(const struct compare_row *r, int side, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    struct value v = value_ok(side ? r->b.mean : r->a.mean, r->unit);
    snprintf(text, TABLE_CELL_MAX, "%s", r->runs[side] ? value_format(&v, true, number) : "n/a");
}

static void write_mean_change(const struct compare_row *r, char text[TABLE_CELL_MAX])
{
    if (!r->runs[0] || !r->runs[1])
        *text = '\0';
    else if (isnan(r->change))
        snprintf(text, TABLE_CELL_MAX, "from 0");
    else if (fabs(r->change) >= 1000)
        snprintf(text, TABLE_CELL_MAX, "%+.0fx", r->change / 100);
    else
        snprintf(text, TABLE_CELL_MAX, "%+.1f %%", r->change);
}

static void write_total_change(const struct compare_row *r, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    const double before = isnan(r->total[0]) ? 0 : r->total[0];
    const double after = isnan(r->total[1]) ? 0 : r->total[1], d = after - before;
    struct value v = value_ok(fabs(d), UNIT_SECONDS);
    if (isnan(r->total[0]) && isnan(r->total[1]))
        *text = '\0';
    else
        snprintf(text, TABLE_CELL_MAX, "%c%s", d < 0 ? '-' : '+', value_format(&v, true, number));
}

static struct style verdict_style_of(const struct compare_row *r)
{
    if (r->verdict == COMPARE_MORE)
        return STYLE(STYLE_DIFF_UP);
    if (r->verdict == COMPARE_LESS)
        return STYLE(STYLE_DIFF_DOWN);
    return STYLE(r->verdict >= COMPARE_UNLIKE ? STYLE_WARN : STYLE_DIM);
}

static void difference_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                            struct style *st)
{
    const struct compare_state *shown = ctx;
    const struct compare_row *r = compared_row_of(shown, i);
    *text = '\0';
    const struct list_field *f = shown->columns.field[col];
    if (!r) {
        if (f == &compare_fields[COMPARE_FIELD_label])
            snprintf(text, TABLE_CELL_MAX, "%s",
                     run_group_title((enum run_group)(-1 - shown->lines[i])));
        *st = STYLE(STYLE_HEADING);
        return;
    }
    *st = STYLE(is_changed_row(r) || r->group == RUN_TIME ? STYLE_TEXT : STYLE_DIM);
    switch (f - compare_fields) {
    case COMPARE_FIELD_label:
        compare_label(shown->c, r, shown->name_width, shown->ascii, text, TABLE_CELL_MAX);
        break;
    case COMPARE_FIELD_calls:
        if (!isnan(r->total[0]) || !isnan(r->total[1]))
            snprintf(text, TABLE_CELL_MAX, "%.6g", r->runs[0] ? r->calls[0] : r->calls[1]);
        break;
    case COMPARE_FIELD_a:
    case COMPARE_FIELD_b:
        write_side_mean(r, f == &compare_fields[COMPARE_FIELD_b], text);
        break;
    case COMPARE_FIELD_change:
        write_mean_change(r, text);
        *st = verdict_style_of(r);
        break;
    case COMPARE_FIELD_bar:
        if (is_changed_row(r) && !isnan(r->change))
            table_bar(fmin(100 * fabs(r->change) / shown->largest, 100), f->column.look.width,
                      text);
        *st = verdict_style_of(r);
        break;
    case COMPARE_FIELD_p:
        compare_interval_text(r, text, TABLE_CELL_MAX);
        *st = STYLE(STYLE_DIM);
        break;
    case COMPARE_FIELD_all_calls:
        write_total_change(r, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COMPARE_FIELD_verdict:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 r->verdict == COMPARE_SAME ? "" : compare_verdict_name(r->verdict));
        *st = verdict_style_of(r);
        break;
    default:
        table_field_text(f, r, "", text);
    }
}

static void difference_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct compare_state *shown = ctx;
    const struct compare_row *r = compared_row_of(shown, i);
    if (r)
        snprintf(out, VIEW_TEXT_MAX, "v:%d", shown->lines[i]);
    else
        snprintf(out, VIEW_TEXT_MAX, "g:%d", shown->lines[i]);
}

static const struct compare_row *row_of_key(const struct comparison *c, const char *k)
{
    char *end;
    if (strncmp(k, "v:", 2) != 0)
        return NULL;
    unsigned long i = strtoul(k + 2, &end, 10);
    return i < c->n ? &c->rows[i] : NULL;
}

static bool difference_matches(const void *ctx, size_t i, const char *needle)
{
    const struct compare_state *shown = ctx;
    return compared_row_of(shown, i) && table_contains(compared_row_of(shown, i)->label, needle);
}

static bool heading(const void *ctx, size_t i)
{
    const struct compare_state *shown = ctx;
    return !compared_row_of(shown, i);
}

/* --- the view --- */

static void draw_compare_head(struct canvas *c, struct rect r, const struct shown_comparison *k)
{
    char text[400];
    enum style_role st = STYLE_TITLE;
    if (k->c->answer == ANSWER_SLOWER)
        st = STYLE_DIFF_UP;
    else if (k->c->answer == ANSWER_FASTER)
        st = STYLE_DIFF_DOWN;
    for (int i = 0; i < 2; i++) {
        const struct compare_side *s = &k->c->side[i];
        int x = r.x + canvas_text(c, r.x, r.y + i, 2, i ? "B" : "A", STYLE(STYLE_HOT)) + 1;
        x += canvas_text(c, x, r.y + i, r.w / 3, k->names[i], STYLE(STYLE_TITLE)) + 2;
        canvas_printf(c, x, r.y + i, r.x + r.w - x, STYLE(STYLE_DIM), "%s  %s  %zu run%s",
                      s->command, s->hostname, s->runs, s->runs == 1 ? "" : "s");
    }
    compare_answer_text(k->c, text, sizeof text);
    canvas_text(c, r.x, r.y + 2, r.w, text, STYLE(st));
    if (compare_work_text(k->c, text, sizeof text) ||
        compare_uneven_text(k->c, r.w, text, sizeof text))
        canvas_text(c, r.x, r.y + 3, r.w, text, STYLE(STYLE_WARN));
}

static void draw_compare(struct canvas *c, struct rect r, const struct model *m,
                         struct view_state *st)
{
    struct compare_state *shown = st->own;
    const struct shown_comparison *k = m->compared;
    if (!k || r.h < ROWS_LEAST)
        return;
    collect_differences(k->c, st);
    shown->ascii = c->ascii;
    table_fields(&shown->columns, compare_fields);
    struct table t = {.fields = &shown->columns,
                      .ctx = shown,
                      .nrows = (size_t)shown->n,
                      .reverse = st->reverse,
                      .flexible = &shown->name_width,
                      .cell = difference_cell,
                      .key = difference_key,
                      .match = difference_matches,
                      .heading = heading};
    bool lanes = (k->profiles[0] || k->profiles[1]) && r.h >= 4 + ROWS_LEAST + LANES_LEAST;
    int below = lanes ? (r.h - 4) * 2 / 5 : 0;
    below = lanes && below < LANES_LEAST ? LANES_LEAST : below;
    int n = (int)st->at;
    draw_compare_head(c, (struct rect){r.x + 1, r.y, r.w - 2, 4}, k);
    table_draw(c, (struct rect){r.x, r.y + 4, r.w, r.h - 4 - below}, &t, st);
    if (lanes)
        compare_lanes_draw(&shown->lanes, c, (struct rect){r.x, r.y + r.h - below, r.w, below}, k,
                           row_of_key(k->c, st->selected_key), &n, ZOOM + st->level);
    st->at = (uint64_t)n;
}

static enum view_result act_in_compare(enum action a, const struct model *m, struct view_state *st)
{
    const struct compare_lanes *lanes = &((const struct compare_state *)st->own)->lanes;
    const bool of_lanes = a == ACTION_COMPARE_PREV || a == ACTION_COMPARE_NEXT ||
                          a == ACTION_COMPARE_CLOSER || a == ACTION_COMPARE_FARTHER;
    (void)m;
    if (of_lanes && !lanes->side[0].n && !lanes->side[1].n) {
        st->host->say(st->host->app, false,
                      "the selected row is no kernel or brick of a profile: nothing to align at");
        return VIEW_HANDLED;
    }
    switch (a) {
    case ACTION_COMPARE_PREV:
        st->at -= st->at > 0;
        return VIEW_HANDLED;
    case ACTION_COMPARE_NEXT:
        st->at += st->at < INT32_MAX;
        return VIEW_HANDLED;
    case ACTION_COMPARE_CLOSER:
        st->level -= st->level > -ZOOM + 1;
        return VIEW_HANDLED;
    case ACTION_COMPARE_FARTHER:
        st->level += st->level < ZOOM_MOST;
        return VIEW_HANDLED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

/* --- the menu of a row --- */

/* The view of a session that shows the thing of a row. */
static const char *view_of(const struct compare_row *r)
{
    bool counted = strncmp(r->id, "c:", 2) == 0 || strncmp(r->id, "m:", 2) == 0;
    if (counted)
        return "counters";
    return r->group == RUN_BRICK ? "tree" : "overview";
}

/*
 * Appends an entry that plays one side's session in the view that has the row; a counter is
 * searched for by its name.
 */
static void play_in(struct menu *out, char letter, int side, const struct compare_row *r)
{
    const char *view = view_of(r), *slash = strrchr(r->label, '/');
    const char *name = slash && r->id[0] == 'c' ? slash + 1 : r->label;
    char command[MENU_COMMAND_MAX];
    bool search = strcmp(view, "counters") == 0 && !strchr(name, ';');
    int n = snprintf(command, sizeof command, "side %c; view %s%s%s", "AB"[side], view,
                     search ? "; search " : "", search ? name : "");
    menu_command(out, letter, command, "open it in %c: %s", "AB"[side], view);
    if (n >= (int)sizeof command)
        menu_deny(out, "its name is too long");
    else
        menu_deny(out, r->runs[side] ? NULL : "it was not measured there");
}

/* Appends an entry that opens one side's profile in a view, filtered to the row. */
static void open_in(struct menu *out, char letter, const struct shown_comparison *k, int side,
                    const char *view, const struct compare_row *r)
{
    struct menu filter = {.n = 0};
    char command[MENU_COMMAND_MAX];
    bool ran = compare_row_ran(r);
    if (k->sessions[side] && !k->profiles[side]) {
        play_in(out, letter, side, r);
        return;
    }
    if (ran)
        menu_filter(&filter, letter, "name", r->label, "%s", "");
    int n = snprintf(command, sizeof command, "side %c; view %s%s%s", "AB"[side], view,
                     ran ? "; " : "", ran ? filter.entries[0].command : "");
    menu_command(out, letter, command, "open it in %c: %s", "AB"[side], view);
    if (!k->profiles[side])
        menu_deny(out, "numbers only: give a profile, or a session (rooftop record)");
    else if (ran && !r->runs[side])
        menu_deny(out, "it did not run there");
    else if (n >= (int)sizeof command)
        menu_deny(out, "its name is too long for a filter");
    else if (ran && filter.entries[0].why_not[0])
        menu_deny(out, filter.entries[0].why_not);
}

static bool compare_menu(const struct model *m, const struct view_state *st, const char *k,
                         struct menu *out)
{
    const struct shown_comparison *c = m->compared;
    const struct compare_row *r = c ? row_of_key(c->c, k) : NULL;
    (void)st;
    if (!r)
        return false;
    bool kernel = r->group == RUN_KERNEL;
    const char *view = kernel ? "kernels" : "tree";
    snprintf(out->title, sizeof out->title, "%.60s", r->label);
    open_in(out, 'a', c, 0, view, r);
    open_in(out, 'b', c, 1, view, r);
    if (c->profiles[0])
        open_in(out, 'p', c, 0, "path", r);
    if (c->profiles[1])
        open_in(out, 'q', c, 1, "path", r);
    menu_copy(out, 'n', r->label, "copy its name");
    return true;
}

static bool compare_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->compared != NULL;
}

/* The command "side": from now on the other views show the profile or session of that side. */
static int show_side(const char *name, const char *side, const struct model *m,
                     struct view_state *st, struct error *err)
{
    const struct shown_comparison *k = m->compared;
    const int i = strcmp(side, "B") == 0;
    if ((i == 0 && strcmp(side, "A") != 0) || !k)
        return error_set(err, ERROR_USAGE, EINVAL, "side A, or side B; with rooftop compare A B",
                         name, k ? "'%s' is no side" : "nothing is compared here", side);
    if (!k->profiles[i] && !k->sessions[i])
        return error_set(err, ERROR_USAGE, ENOENT, "compare profiles, or sessions (rooftop record)",
                         name, "%s has numbers only", side);
    st->host->show(st->host->app, k->profiles[i], k->sessions[i]);
    return 0;
}

const struct view_ops view_compare = {
    .name = "compare",
    .title = "compare",
    .select = ACTION_VIEW_COMPARE,
    .contexts = CONTEXTS_COMPARE,
    .available = compare_available,
    .absent = "Nothing is compared: rooftop compare A B",
    .own_size = sizeof(struct compare_state),
    .end = free_compare,
    .draw = draw_compare,
    .act = act_in_compare,
    .command = show_side,
    .fields = compare_fields,
    .menu = compare_menu,
};
