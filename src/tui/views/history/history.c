/*
 * The history of benchmarks: each series in a row, and below them the points of the selected one,
 * with its changes and what else changed with them. Enter opens a series, and a run of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "export/bench/history_export.h"
#include "tui/views/history/history.h"
#include "tui/widgets/cut.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { LABEL = 11, LEAST_PLOT = 4, LEAST_LIST = 4, MOST_HEAD = 4, HOST_FROM = 90, NAME_MOST = 700 };
enum { COLUMN_NAME, COLUMN_HOST, COLUMN_NOW, COLUMN_CHANGE, COLUMN_RUNS, COLUMN_ALARM, COLUMNS };

static const struct column columns[COLUMNS] = {
    {"SERIES", 20, true, false, 0}, {"HOST", 12, false, false, 3},
    {"NOW", 21, false, true, 0},    {"LAST CHANGE", 12, false, true, 1},
    {"RUNS", 6, false, true, 2},    {"ALARM", 8, false, false, 0},
};

struct shown { /* the argument of the table's functions */
    const struct history_list *l;
    bool ascii, hosts; /* hosts: names are told with their host, for which there is no column */
    int name_width;
};

static bool is_worse(const struct history_series *s, const struct change *c)
{
    return (c->after > c->before) != s->more_is_good;
}

static double change_percent_of(const struct change *c)
{
    return 100 * (c->after / c->before - 1);
}

static bool has_several_hosts(const struct history_list *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (strcmp(l->list[i].host, l->list[0].host) != 0)
            return true;
    return false;
}

/* "NAME on HOST", as the command line takes it, or the name alone. */
static const char *name_on_host(const struct history_series *s, bool host, char out[NAME_MOST])
{
    if (host)
        snprintf(out, NAME_MOST, "%s on %s", s->name, s->host);
    else
        snprintf(out, NAME_MOST, "%s", s->name);
    return text_whole(out);
}

/* The commands of two series often differ at their end only, and of a ratio in its middle. */
static void write_series_name(const struct shown *shown, size_t i, char text[TABLE_CELL_MAX])
{
    const struct history_series *s = &shown->l->list[i];
    const char *mark = shown->ascii ? "~" : "…";
    char above[TABLE_CELL_MAX], name[NAME_MOST], other[NAME_MOST];
    name_on_host(s, shown->hosts, name);
    name_on_host(i ? s - 1 : s, shown->hosts, other);
    text_cut_middle(text, TABLE_CELL_MAX, name, shown->name_width, mark);
    text_cut_middle(above, sizeof above, other, shown->name_width, mark);
    if (strcmp(other, name) != 0 && strcmp(above, text) == 0)
        cut_apart(text, TABLE_CELL_MAX, name, other, shown->name_width, shown->ascii);
}

static void history_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct shown *shown = ctx;
    const struct history_series *s = &shown->l->list[i];
    const struct change *c = s->nchanges ? &s->changes[s->nchanges - 1] : NULL;
    char value[48];
    *st = STYLE(STYLE_TEXT);
    *text = '\0';
    if (col == COLUMN_NAME)
        write_series_name(shown, i, text);
    else if (col == COLUMN_HOST)
        snprintf(text, TABLE_CELL_MAX, "%s", s->host);
    else if (col == COLUMN_NOW && s->n)
        snprintf(text, TABLE_CELL_MAX, "%s",
                 history_value(s, s->points[s->n - 1].value, shown->ascii, value));
    else if (col == COLUMN_CHANGE && c)
        snprintf(text, TABLE_CELL_MAX, "%+.1f %%", change_percent_of(c));
    else if (col == COLUMN_RUNS)
        snprintf(text, TABLE_CELL_MAX, "%zu", s->n);
    else if (col == COLUMN_ALARM)
        snprintf(text, TABLE_CELL_MAX, "%s",
                 s->alarm == HISTORY_QUIET ? "" : history_alarm_name(s->alarm));
    if (col == COLUMN_CHANGE && c)
        *st = STYLE(is_worse(s, c) ? STYLE_WARN : STYLE_OK);
    if (col == COLUMN_ALARM)
        *st = STYLE(history_alarmed(s) ? STYLE_CRIT : STYLE_WARN);
    if (col == COLUMN_HOST)
        *st = STYLE(STYLE_DIM);
}

uint64_t history_series_id(const struct history_series *s)
{
    return hash_text(hash_text(0, s->name), s->host);
}

static void history_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct shown *shown = ctx;
    snprintf(out, VIEW_TEXT_MAX, "%016" PRIx64, history_series_id(&shown->l->list[i]));
}

static bool history_matches(const void *ctx, size_t i, const char *needle)
{
    const struct shown *shown = ctx;
    char name[NAME_MOST];
    return table_contains(name_on_host(&shown->l->list[i], true, name), needle);
}

/* --- the selected series --- */

/* Draws the last changes that fit, one per line. */
static void draw_changes(struct canvas *c, struct rect r, const struct history_series *s)
{
    size_t first = s->nchanges > (size_t)r.h ? s->nchanges - (size_t)r.h : 0;
    for (size_t i = first; i < s->nchanges; i++) {
        const struct change *k = &s->changes[i];
        char before[48], after[48], reason[256];
        history_reason(s, k->at, reason, sizeof reason);
        canvas_printf(
            c, r.x, r.y + (int)(i - first), r.w, STYLE(is_worse(s, k) ? STYLE_WARN : STYLE_OK),
            "%zu: %s, %s to %s (%+.1f %%), run %zu of %zu%s%s", i + 1,
            is_worse(s, k) ? "worse" : "better", history_value(s, k->before, c->ascii, before),
            history_value(s, k->after, c->ascii, after), change_percent_of(k), k->at + 1, s->n,
            *reason ? "; " : "", reason);
    }
}

static void draw_series(struct canvas *c, struct rect r, const struct history_series *s, bool host)
{
    const struct history_point *p = s->n ? &s->points[s->n - 1] : NULL;
    int lines = (int)(s->nchanges < 4 ? s->nchanges : 4);
    char head[1024], name[NAME_MOST];
    if (!p || r.h < LEAST_PLOT + 2 || r.w < LABEL + 8)
        return;
    snprintf(head, sizeof head, "%s: last run%s%.10s%s%s", name_on_host(s, host, name),
             *p->conditions.commit ? " of commit " : "", p->conditions.commit,
             *p->conditions.kernel ? ", Linux " : "", p->conditions.kernel);
    if (p->n)
        snprintf(head + strlen(head), sizeof head - strlen(head), ", %zu sample%s", p->n,
                 p->n == 1 ? "" : "s");
    int room = r.h - LEAST_PLOT - 1; /* the whole name, in as many rows as leave room for a graph */
    struct rect words = {r.x, r.y, r.w, room < MOST_HEAD ? room : MOST_HEAD};
    int used = wrap_draw(c, words, text_whole(head), STYLE(STYLE_TITLE));
    r.y += used - 1;
    r.h -= used - 1;
    lines = r.h - 1 - lines >= LEAST_PLOT ? lines : 0;
    const struct history_plot graph = {.s = s,
                                       .value = history_point_value,
                                       .ctx = s,
                                       .n = s->n,
                                       .selected = SIZE_MAX,
                                       .marked = SIZE_MAX,
                                       .changes = true};
    history_plot_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1 - lines}, &graph);
    draw_changes(c, (struct rect){r.x, r.y + r.h - lines, r.w, lines}, s);
}

/* --- the view --- */

static void draw_series_list(struct canvas *c, struct rect r, const struct history_list *l,
                             struct view_state *st)
{
    const bool several = has_several_hosts(l);
    struct shown shown = {l, c->ascii, several && r.w < HOST_FROM, 0};
    const struct table t = {.columns = columns,
                            .ncolumns = COLUMNS,
                            .flexible = &shown.name_width,
                            .sort = -1,
                            .ctx = &shown,
                            .nrows = l->n,
                            .cell = history_cell,
                            .key = history_key,
                            .match = history_matches};
    int list = (int)(l->n < 1000 ? l->n : 1000) + 1;
    list = list < r.h / 2 ? list : r.h / 2;
    list = list > LEAST_LIST ? list : LEAST_LIST;
    if (r.h - list < LEAST_PLOT + 3)
        list = r.h;
    table_draw(c, (struct rect){r.x, r.y, r.w, list}, &t, st);
    if (list < r.h && st->selected >= 0 && (size_t)st->selected < l->n) {
        canvas_fill(c, (struct rect){r.x, r.y + list, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
        draw_series(c, (struct rect){r.x, r.y + list + 1, r.w, r.h - list - 1},
                    &l->list[st->selected], several);
    }
}

/* Draws how far the first reading is, or why it failed. */
static void draw_reading(struct canvas *c, struct rect r, struct view_state *st)
{
    const struct history_state *own = st->own;
    struct value percent = value_ok(100 * (own->share > 0 ? own->share : 0), UNIT_PERCENT);
    st->rows = st->page = 0;
    st->list = (struct rect){0};
    if (own->share < 0) {
        wrap_draw(c, r, own->failed, STYLE(STYLE_CRIT));
        return;
    }
    canvas_text(c, r.x, r.y, r.w, "reading and judging all series", STYLE(STYLE_TITLE));
    meter_draw(c, r.x, r.y + 1, r.w - 7, &percent, STYLE_GRAD_CPU);
    canvas_printf(c, r.x + r.w - 6, r.y + 1, 6, STYLE(STYLE_TITLE), "%4.0f %%", percent.v);
    int x = r.x + canvas_text(c, r.x, r.y + 3, r.w, "Esc", STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, r.y + 3, r.w - 4, "gives it up", STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){r.x, r.y + 3, x - r.x, 1}, ACTION_BACK, 0);
}

/* The series with this id; NULL: it is gone. */
static const struct history_series *find_history_series(const struct history_list *l, uint64_t id)
{
    for (size_t i = 0; l && i < l->n; i++)
        if (history_series_id(&l->list[i]) == id)
            return &l->list[i];
    return NULL;
}

/* Moves the cursor back to where it was in the level above. */
static void go_up(struct view_state *st)
{
    struct history_state *own = st->own;
    const struct history_cursor *to = &own->above[--own->level];
    st->selected = to->selected;
    st->scroll = to->scroll;
    st->follow = true;
    memcpy(st->selected_key, to->key, sizeof to->key);
    memcpy(st->search, to->search, sizeof to->search);
}

static void go_down(struct view_state *st)
{
    struct history_state *own = st->own;
    struct history_cursor *from = &own->above[own->level++];
    from->selected = st->selected;
    from->scroll = st->scroll;
    memcpy(from->key, st->selected_key, sizeof from->key);
    memcpy(from->search, st->search, sizeof from->search);
    st->selected = st->scroll = 0;
    st->follow = st->pinned = false;
    st->selected_key[0] = st->search[0] = '\0';
}

/* The opened series. Goes one level up if it, or the opened run, is gone. */
static const struct history_series *opened_series(const struct history_list *l,
                                                  struct view_state *st)
{
    struct history_state *own = st->own;
    const struct history_series *s = find_history_series(l, own->series);
    while (own->level == HISTORY_SAMPLES && (!s || history_point_at(s, own->run) == s->n))
        go_up(st);
    while (own->level > HISTORY_SERIES && !s)
        go_up(st);
    return s;
}

static void draw_history_title(struct canvas *c, struct rect area, const struct history_series *s,
                               const struct history_state *own)
{
    char title[NAME_MOST + 64] = "history of benchmarks", right[64] = "", what[48] = ": runs";
    char name[NAME_MOST], cut[NAME_MOST];
    if (own->list && own->share >= 0)
        snprintf(right, sizeof right, "reading again: %.0f %%, Esc gives it up", 100 * own->share);
    if (s && own->level == HISTORY_SAMPLES)
        snprintf(what, sizeof what, ": samples of run %zu", history_point_at(s, own->run) + 1);
    int room = area.w - 6 - (int)strlen(right) - (*right ? 4 : 0) - (int)strlen(what);
    if (s && own->level != HISTORY_SERIES)
        snprintf(title, sizeof title, "%s%s",
                 text_cut_middle(cut, sizeof cut,
                                 name_on_host(s, has_several_hosts(own->list), name), room,
                                 c->ascii ? "~" : "…"),
                 what);
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), NULL, *right ? right : NULL);
    /* not as the box's title, where "_" would mark a letter */
    canvas_printf(c, area.x + 2, area.y, area.w - 4 - (int)strlen(right) - (*right ? 4 : 0),
                  STYLE(STYLE_TITLE), " %s ", title);
}

static void draw_history(struct canvas *c, struct rect area, const struct model *m,
                         struct view_state *st)
{
    struct history_state *own = st->own;
    (void)m;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    const struct history_series *s = own->list ? opened_series(own->list, st) : NULL;
    own->wish[0] = own->wish[1] = 0;
    draw_history_title(c, area, s, own);
    if (!own->list)
        draw_reading(c, r, st);
    else if (own->level == HISTORY_SERIES)
        draw_series_list(c, r, own->list, st);
    else if (own->level == HISTORY_RUNS)
        history_draw_runs(c, r, s, st);
    else
        history_draw_samples(c, r, s, st);
}

/* --- keys --- */

static enum view_result open_history_row(struct view_state *st)
{
    struct history_state *own = st->own;
    const struct history_series *s = find_history_series(own->list, own->series);
    size_t row = st->selected < 0 ? 0 : (size_t)st->selected;
    if (own->level == HISTORY_SERIES && own->list && row < own->list->n) {
        uint64_t id = history_series_id(&own->list->list[row]);
        own->marked = id == own->series ? own->marked : 0;
        own->series = id;
        go_down(st);
    } else if (own->level == HISTORY_RUNS && s && row < s->n) {
        own->run = s->points[s->n - 1 - row].id;
        go_down(st);
    } else {
        return VIEW_IGNORED;
    }
    return VIEW_HANDLED;
}

static enum view_result mark_selected(struct view_state *st)
{
    struct history_state *own = st->own;
    const struct history_series *s = find_history_series(own->list, own->series);
    size_t row = st->selected < 0 ? 0 : (size_t)st->selected;
    if (own->level != HISTORY_RUNS || !s || row >= s->n)
        return VIEW_IGNORED;
    int64_t id = s->points[s->n - 1 - row].id;
    own->marked = own->marked == id ? 0 : id;
    return VIEW_HANDLED;
}

static enum view_result act_in_history(enum action a, const struct model *m, struct view_state *st)
{
    const struct history_state *own = st->own;
    (void)m;
    if (a == ACTION_BACK && own->share >= 0) {
        history_loader_give_up(own->loader);
        return VIEW_HANDLED;
    }
    bool closes = a == ACTION_HISTORY_CLOSE || (a == ACTION_BACK && !st->search[0]);
    if (closes && own->level > HISTORY_SERIES) {
        go_up(st);
        return VIEW_HANDLED;
    }
    if (a == ACTION_HISTORY_OPEN || a == ACTION_MENU)
        return open_history_row(st);
    if (a == ACTION_HISTORY_MARK)
        return mark_selected(st);
    return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static bool history_available(const struct model *m, const struct view_state *st)
{
    const struct history_state *own = st->own;
    (void)m;
    return (own->list && own->list->n > 0) || own->share >= 0 || own->failed[0];
}

static enum view_result read_history_again(const struct model *m, struct view_state *st,
                                           enum view_choice how)
{
    (void)m, (void)how;
    history_read(st);
    return VIEW_HANDLED;
}

static bool history_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const struct history_state *own = st->own;
    (void)m;
    if (a == ACTION_HISTORY_CLOSE)
        return own->level > HISTORY_SERIES;
    if (a == ACTION_HISTORY_MARK)
        return own->level == HISTORY_RUNS;
    return own->list && own->list->n && (a != ACTION_HISTORY_OPEN || own->level < HISTORY_SAMPLES);
}

const struct view_ops view_history = {
    .own_size = sizeof(struct history_state),
    .begin = history_begin,
    .end = history_end,
    .fd = history_fd,
    .poll = history_poll,
    .follow = history_follow,
    .chosen = read_history_again,
    .name = "history",
    .title = "history",
    .select = ACTION_VIEW_HISTORY,
    .contexts = CONTEXTS_HISTORY,
    .available = history_available,
    .absent =
        "No benchmark was stored yet: rooftop compare -- CMD measures a command and keeps what "
        "it measured; rooftop compare history --import FILE adds results of other tools",
    .draw = draw_history,
    .act = act_in_history,
    .takes = history_takes,
};
