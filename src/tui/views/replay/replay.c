/*
 * The replay menu: captures of GPU dispatches, whether this host can replay them, and their
 * results.
 */
#include "tui/views/replay/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/capture/capturer.h"
#include "tui/widgets/wrap.h"

enum { BESIDE_FROM = 180, SIDE = 96, LEAST_ROWS = 4 };

/* --- the list --- */

const char *replay_time_text(const struct replay_timing *t, double us, bool ascii, char out[24])
{
    struct value v = value_ok(us / 1e6, UNIT_SECONDS);
    if (!t->known)
        return "-";
    return value_format(&v, ascii, out);
}

static void put_can(const struct replay_row *r, char text[TABLE_CELL_MAX], struct style *st)
{
    static const struct {
        const char *mark;
        enum style_role role;
    } marks[] = {{"●", STYLE_OK}, {"x", STYLE_CRIT}, {"?", STYLE_DIM}};
    snprintf(text, TABLE_CELL_MAX, "%s", marks[r->can].mark);
    *st = STYLE(marks[r->can].role);
}

static void put_last(const struct replays *all, const struct replay_row *r,
                     char text[TABLE_CELL_MAX], struct style *st)
{
    char number[24];
    const struct replay_run *run = all->run;
    const struct replay_past *p = r->past.n ? &r->past.rows[0] : NULL;
    if (run && !replay_run_over(run) && strcmp(all->run_path, r->path) == 0) {
        snprintf(text, TABLE_CELL_MAX, "%s", replay_stage_name(run->stage));
        *st = STYLE(STYLE_HOT);
        return;
    }
    snprintf(text, TABLE_CELL_MAX, "%s%s", p && p->emulated ? "E " : "",
             p ? replay_time_text(&p->timing, p->timing.average, true, number) : "-");
    const bool measured = p && !p->emulated;
    *st = STYLE(measured ? STYLE_TITLE : STYLE_DIM);
    if (measured && p->verify == 0)
        *st = STYLE(STYLE_CRIT);
}

static void capture_cell(const void *own, const void *row, const struct list_field *f,
                         char text[TABLE_CELL_MAX], struct style *st)
{
    const struct replay_view *shown = own;
    const struct replay_row *r = row;
    *st = STYLE(STYLE_DIM);
    switch (f - replay_fields) {
    case REPLAY_FIELD_can:
        put_can(r, text, st);
        break;
    case REPLAY_FIELD_last:
        put_last(&shown->all, r, text, st);
        break;
    case REPLAY_FIELD_runs:
        snprintf(text, TABLE_CELL_MAX, r->past.n ? "%zu" : "-", r->past.n);
        break;
    case REPLAY_FIELD_kernel:
        *st = STYLE(r->capture ? STYLE_TEXT : STYLE_DIM);
        table_field_text(f, r, "-", text);
        break;
    default:
        if (r->capture)
            table_field_text(f, r, "-", text);
        else
            snprintf(text, TABLE_CELL_MAX, "-");
    }
}

static void capture_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    (void)own;
    replays_key(((const struct replay_row *)row)->path, out);
}

static bool capture_matches(const void *own, const void *row, const char *needle)
{
    const struct replay_row *r = row;
    (void)own;
    return table_contains(r->name, needle) || table_contains(r->path, needle);
}

static const struct rows_ops capture_rows_ops = {
    .list = &replay_rows, .cell = capture_cell, .key = capture_key, .match = capture_matches};

static void draw_capture_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct replay_view *shown = st->own;
    rows_columns(&shown->rows);
    rows_draw(c, r, &shown->rows, shown->all.list->n ? "no capture matches the filter" : NULL, st);
}

/* --- no captures yet --- */

/* Draws the kernels of the running program that could be captured. */
static void draw_launched(struct canvas *c, struct rect r, const struct model *m)
{
    canvas_text(c, r.x, r.y, r.w, "Kernels that the program has launched; S captures the next one:",
                STYLE(STYLE_TITLE));
    for (int i = 0; (size_t)i < m->nlaunched && i + 1 < r.h; i++) {
        const struct capturer_kernel *k = &m->launched[i];
        canvas_printf(c, r.x, r.y + 1 + i, r.w, STYLE(STYLE_TEXT), "%10" PRIu64 " x  %s",
                      k->dispatches, k->name);
    }
}

static void draw_no_captures(struct canvas *c, struct rect r, const struct model *m,
                             const struct replays *all)
{
    static const char *const lines[][2] = {
        {"1  record one launch of a kernel, with all memory it can reach:",
         "rooftop gpu capture --kernel REGEX --post -- ./program"},
        {"2  come back here: it stands in rooftop_captures/, or say where",
         "rooftop --captures DIR"},
        {"3  Enter on it: replay it alone, verify, compare builds of it", NULL},
    };
    int y = r.y + 1;
    if (all->failed[0]) {
        wrap_draw(c, (struct rect){r.x, y, r.w, r.h - 1}, all->failed, STYLE(STYLE_CRIT));
        return;
    }
    if (!all->list) {
        canvas_text(c, r.x, y, r.w, "looking for captures …", STYLE(STYLE_DIM));
        return;
    }
    canvas_text(c, r.x, y, r.w,
                "No captures yet. The first one takes three steps:", STYLE(STYLE_TITLE));
    y += 2;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++, y++) {
        canvas_text(c, r.x, y, r.w, lines[i][0], STYLE(STYLE_TEXT));
        if (lines[i][1] && r.w >= 120)
            canvas_text(c, r.x + 68, y, r.w - 68, lines[i][1], STYLE(STYLE_HOT));
        else if (lines[i][1])
            canvas_text(c, r.x + 5, ++y, r.w - 5, lines[i][1], STYLE(STYLE_HOT));
    }
    canvas_text(c, r.x, y + 1, r.w, "looked into:", STYLE(STYLE_DIM));
    y += 2 + wrap_draw(c, (struct rect){r.x + 13, y + 1, r.w - 13, r.y + r.h - y - 1},
                       all->list->folders, STYLE(STYLE_DIM));
    if (m->nlaunched)
        draw_launched(c, (struct rect){r.x, y, r.w, r.y + r.h - y}, m);
}

/* --- the view --- */

/* Draws the details beside the list if there is room, else below it. */
static void draw_replay_parts(struct canvas *c, struct rect r, struct view_state *st)
{
    const struct replay_view *shown = st->own;
    struct rect details = {0};
    if (!st->pane && r.w >= BESIDE_FROM) {
        details = canvas_cut_right(c, &r, SIDE);
    } else if (!st->pane) {
        int want = (int)shown->rows.n + 1, most = r.h * 2 / 5;
        if (want < LEAST_ROWS)
            want = LEAST_ROWS;
        else if (want > most)
            want = most;
        details = canvas_cut_below(c, &r, r.h - want - 1);
    }
    draw_capture_list(c, r, st); /* first, because drawing the list finds the selected row */
    if (!st->pane)
        replay_detail_draw(c, details, &shown->all, rows_selected(&shown->rows, st), st);
}

/* Puts the cursor on what was opened, where no row was chosen. Otherwise it is on the newest
 * capture, also when one is added. */
static void begin_cursor(const struct replay_list *l, struct view_state *st)
{
    if (l->first == 0 || st->selected_key[0] || st->follow)
        return;
    replays_key(l->rows[l->first].path, st->selected_key);
    st->follow = true;
}

static void draw_replay(struct canvas *c, struct rect area, const struct model *m,
                        struct view_state *st)
{
    struct replays *all = &((struct replay_view *)st->own)->all;
    char right[128] = "", title[64] = "replay: captures";
    st->sort = list_fields_sort(replay_fields, st->sort) ? st->sort : 0;
    if (all->list && all->list->host.emulated)
        snprintf(right, sizeof right, "EMULATED GPU");
    else if (st->filter[0])
        snprintf(right, sizeof right, "filter '%.60s'", st->filter);
    else if (all->reading && all->list)
        snprintf(right, sizeof right, "looking again …");
    if (m->nlaunched)
        snprintf(title, sizeof title, "replay: captures   _S one of %zu kernel%s", m->nlaunched,
                 m->nlaunched == 1 ? "" : "s");
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, right[0] ? right : NULL);
    if (!m->captures)
        return;
    all->now_ns = env_now_ns();
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (!all->list || all->list->n == 0) {
        st->rows = 0;
        st->selected_key[0] = '\0';
        draw_no_captures(c, r, m, all);
    } else {
        begin_cursor(all->list, st);
        rows_collect(&((struct replay_view *)st->own)->rows, &capture_rows_ops, all->list,
                     all->list->n, NULL, st);
        draw_replay_parts(c, r, st);
    }
}

/* Chooses another result to compare with: older (1) or newer (-1). */
static void step_base(struct view_state *st, int by)
{
    const struct replay_view *own = st->own;
    const struct replay_row *row = replays_find(&own->all, st->selected_key);
    int n = row ? (int)row->past.n : 0;
    int at = row ? replay_base(row, st) + by : -1;
    if (n == 0)
        return;
    if (at < 0)
        at = 0;
    else if (at >= n)
        at = n - 1;
    st->at = row->past.rows[at].time_ns;
}

static enum view_result act_in_replay(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_REPLAY_BASE_OLDER:
        step_base(st, 1);
        return VIEW_HANDLED;
    case ACTION_REPLAY_BASE_NEWER:
        step_base(st, -1);
        return VIEW_HANDLED;
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return VIEW_HANDLED;
    default:
        return replay_act(a, st) || table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static bool replay_available(const struct model *m, const struct view_state *st)
{
    const struct replays *all = &((const struct replay_view *)st->own)->all;
    return m->nlaunched || all->failed[0] || all->run || (all->list && all->list->n);
}

static bool replay_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const struct replays *all = &((const struct replay_view *)st->own)->all;
    (void)m;
    if (a == ACTION_REPLAY_CANCEL)
        return all->run != NULL;
    return a == ACTION_REPLAY_AGAIN || (all->list && all->list->n);
}

const struct view_ops view_replay = {
    .name = "replay",
    .title = "replay",
    .select = ACTION_VIEW_REPLAY,
    .contexts = CONTEXTS_REPLAY,
    .available = replay_available,
    .captures = true,
    .own_size = sizeof(struct replay_view),
    .begin = replay_begin,
    .end = replay_end,
    .poll = replay_poll,
    .follow = replay_follow,
    .draw = draw_replay,
    .act = act_in_replay,
    .takes = replay_takes,
    .menu = replay_menu,
    .fields = replay_fields,
};
