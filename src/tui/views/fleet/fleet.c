/* Many hosts: a row each, the worst first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fleet/fleet_fields.h"
#include "engine/fleet/fleet_run.h"
#include "tui/views/fleet/fleet_moment.h"
#include "tui/widgets/rows.h"
#include "tui/widgets/wrap.h"

enum { DETAILS = 5, LEAST_LIST = 6, HISTORY = 1024, GRAPH_LEAST = 20, WORDS_FROM = 100 };

/* view_state.own */
struct fleet_view {
    struct fleet_run *run;               /* borrowed; NULL: there is none */
    struct fleet_picture *newest, *past; /* owned; NULL: none came, none was asked for */
    const struct fleet_picture *picture; /* that of the two which is shown */
    struct fleet_moment moment;
    struct rows rows;
    bool ascii;
};

static void end_fleet_view(void *own)
{
    struct fleet_view *v = own;
    fleet_picture_unref(v->newest);
    fleet_picture_unref(v->past);
    rows_free(&v->rows);
}

/* --- cells --- */

static void put_fleet_state(const struct fleet_row *r, char text[TABLE_CELL_MAX], struct style *st)
{
    static const enum style_role roles[FLEET_STATES] = {[FLEET_CONNECTING] = STYLE_DIM,
                                                        [FLEET_LIVE] = STYLE_OK,
                                                        [FLEET_LATE] = STYLE_WARN,
                                                        [FLEET_LOST] = STYLE_CRIT};
    snprintf(text, TABLE_CELL_MAX, "%s", fleet_state_name(r->state));
    *st = STYLE(roles[r->state]);
}

/* How hot a number is, 0 to 100. */
static int find_fleet_heat(const struct fleet_picture *p, int m, double v)
{
    const double full = fleet_metrics[m].full > 0 ? fleet_metrics[m].full : p->middle[m].most;
    if (!(full > 0) || !(v > 0))
        return 0;
    return v >= full ? 100 : (int)(100 * v / full);
}

/* A number with its heat; an outlier has a mark, too, as colour is not seen by all. */
static void put_fleet_metric(const struct fleet_view *v, const struct fleet_row *r, int m,
                             char text[TABLE_CELL_MAX], struct style *st)
{
    char value[VALUE_TEXT_MAX];
    *st = STYLE(STYLE_DIM);
    if (!isfinite(r->v[m])) {
        snprintf(text, TABLE_CELL_MAX, "-");
        return;
    }
    value_text(r->v[m], fleet_metrics[m].unit, v->ascii, value);
    const bool outlier = r->outlier >> m & 1;
    snprintf(text, TABLE_CELL_MAX, "%s%s", outlier ? "!" : "", value);
    if (r->state != FLEET_LIVE)
        return; /* the last that is known: dim */
    *st = STYLE_LEVEL(STYLE_GRAD_CPU, find_fleet_heat(v->picture, m, r->v[m]));
    st->bold = outlier;
}

static void fleet_cell(const void *own, const void *row, const struct list_field *f,
                       char text[TABLE_CELL_MAX], struct style *st)
{
    const struct fleet_view *v = own;
    const struct fleet_row *r = row;
    const ptrdiff_t field = f - fleet_fields, metric = field - FLEET_FIELD_cpu;
    char words[FLEET_WORDS];
    *st = STYLE(STYLE_TEXT);
    if (field == FLEET_FIELD_state) {
        put_fleet_state(r, text, st);
    } else if (field == FLEET_FIELD_words) {
        snprintf(text, TABLE_CELL_MAX, "%s", fleet_row_words(v->picture, r, v->ascii, words));
        *st = STYLE(r->state == FLEET_LIVE ? STYLE_WARN : STYLE_DIM);
    } else if (metric >= 0 && metric < FLEET_METRICS) {
        put_fleet_metric(v, r, (int)metric, text, st);
    } else {
        table_field_text(f, r, "-", text);
    }
}

static void fleet_key(const void *own, const void *row, char key[VIEW_TEXT_MAX])
{
    (void)own;
    snprintf(key, VIEW_TEXT_MAX, "%d", ((const struct fleet_row *)row)->number);
}

static const struct rows_ops fleet_rows_ops = {
    .list = &fleet_rows, .cell = fleet_cell, .key = fleet_key};

/* --- the selected host --- */

/* The last minutes of one metric up to what is shown, as a line of levels. A blank was not
 * measured: 0 is a level, too. */
static void draw_fleet_history(struct canvas *c, struct rect r, const struct fleet_view *v,
                               const struct fleet_row *row, int m)
{
    static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {".", ".", ":", ":", "+", "+", "#", "#"};
    double values[HISTORY];
    uint64_t times[HISTORY];
    char now[VALUE_TEXT_MAX] = "";
    if (isfinite(row->v[m]))
        value_text(row->v[m], fleet_metrics[m].unit, v->ascii, now);
    const int head = canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_DIM), "%s %s%s",
                                   fleet_metrics[m].id, now, *now ? " " : "");
    if (r.w - head < GRAPH_LEAST)
        return;
    size_t n = fleet_run_history(v->run, row->number, (enum fleet_metric)m, HISTORY, values, times);
    while (v->picture->past && n && times[n - 1] > v->picture->wall_ns)
        n--;
    if (n == 0)
        canvas_text(c, r.x + head, r.y, r.w - head, "no sample is kept", STYLE(STYLE_DIM));
    const size_t room = (size_t)(r.w - head), first = n > room ? n - room : 0;
    for (size_t i = first; i < n; i++) {
        const int heat = find_fleet_heat(v->picture, m, values[i]);
        const int level = heat >= 25 ? heat * 8 / 100 - 1 : 0;
        if (isfinite(values[i]))
            canvas_text(c, r.x + head + (int)(i - first), r.y, 1,
                        (c->ascii ? plain : levels)[level], STYLE_LEVEL(STYLE_GRAD_CPU, heat));
    }
}

/* The keys of time, at the right end of the line above the details: the footer has no room. */
static void draw_time_keys(struct canvas *c, struct rect r, const struct fleet_view *v,
                           const struct fleet_row *row)
{
    static const struct {
        enum action act;
        const char *words;
        bool past; /* only while the past is shown */
    } keys[] = {{ACTION_TIME_END, "now", true},
                {ACTION_TIME_FORWARD, "forward", true},
                {ACTION_TIME_BACK, "back in time", false}};
    uint64_t times[2];
    int end = r.x + r.w - 2;
    if (fleet_run_times(v->run, row->number, 2, times) < 2)
        return;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *key = keymap_keys(keys[i].act);
        const int n = (int)strcspn(key, " "), w = n + text_width(keys[i].words) + 3;
        if (n == 0 || (keys[i].past && !v->picture->past))
            continue;
        end -= w;
        canvas_zone(c, (struct rect){end, r.y, w, 1}, (int)keys[i].act, 0);
        canvas_printf(c, end, r.y, w, STYLE(STYLE_HOT), " %.*s", n, key);
        canvas_printf(c, end + n + 1, r.y, w, STYLE(STYLE_DIM), " %s ", keys[i].words);
    }
}

static void draw_fleet_state(struct canvas *c, struct rect r, const struct fleet_view *v,
                             const struct fleet_row *row)
{
    char age[VALUE_TEXT_MAX];
    const char *state = fleet_state_name(row->state);
    const bool then = v->picture->past && row->age_s < 1e-3;
    const char *since = v->picture->past ? "before" : "ago";
    value_text(row->age_s, UNIT_SECONDS, c->ascii, age);
    if (then)
        canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_TITLE), "%s: %s, a sample of this moment",
                      row->name, state);
    else if (isfinite(row->age_s))
        canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_TITLE), "%s: %s, newest sample %s %s",
                      row->name, state, age, since);
    else
        canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_TITLE), "%s: %s, no sample came", row->name,
                      state);
}

static void draw_fleet_details(struct canvas *c, struct rect r, const struct fleet_view *v,
                               const struct fleet_row *row)
{
    char words[FLEET_WORDS];
    canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    if (!row)
        return;
    draw_time_keys(c, r, v, row);
    draw_fleet_state(c, (struct rect){r.x, r.y + 1, r.w, 1}, v, row);
    fleet_row_words(v->picture, row, c->ascii, words);
    if (!words[0] && v->picture->states[FLEET_LIVE] < FLEET_JUDGED_LEAST)
        snprintf(words, sizeof words, "fewer than %d hosts are live: none is judged by the others",
                 FLEET_JUDGED_LEAST);
    else if (!words[0])
        snprintf(words, sizeof words, "as the others, as far as they can be compared");
    wrap_draw(c, (struct rect){r.x, r.y + 2, r.w, 2}, words, STYLE(STYLE_TEXT));
    const bool out = row->outlier && row->worst >= 0; /* else the metric would change each time */
    draw_fleet_history(c, (struct rect){r.x, r.y + 4, r.w, 1}, v, row,
                       out ? row->worst : FLEET_cpu);
}

/* --- the view --- */

/* Metrics that no host has are no columns; on a wide screen a quarter is for words. */
static void choose_fleet_columns(struct fleet_view *v, int cells)
{
    struct table_fields *t = &v->rows.columns;
    rows_columns(&v->rows);
    for (int i = 0; i < t->n; i++)
        if (t->field[i] == &fleet_fields[FLEET_FIELD_words] && cells >= WORDS_FROM)
            t->columns[i].width = cells / 4;
    for (int m = 0; m < FLEET_METRICS; m++)
        if (!fleet_metric_known(v->picture, (enum fleet_metric)m))
            table_fields_remove(t, &fleet_fields[FLEET_FIELD_cpu + m]);
}

static void draw_fleet(struct canvas *c, struct rect area, const struct model *m,
                       struct view_state *st)
{
    struct fleet_view *v = st->own;
    char words[FLEET_WORDS], title[FLEET_WORDS + 16 + FLEET_MOMENT], moment[FLEET_MOMENT];
    (void)m;
    v->ascii = c->ascii;
    snprintf(title, sizeof title, "fleet%s: %s", fleet_moment_text(&v->moment, moment),
             v->picture ? fleet_words(v->picture, words) : "asking the hosts");
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, NULL);
    if (!v->picture)
        return;
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    const int below = r.h - DETAILS >= LEAST_LIST ? DETAILS : 0;
    rows_collect(
        &v->rows, &fleet_rows_ops, v->picture, v->picture->nrows,
        (uint64_t[ROWS_MADE_OF]){(uintptr_t)v->picture, v->picture->seq + v->picture->wall_ns}, st);
    choose_fleet_columns(v, r.w);
    rows_draw(c, (struct rect){r.x, r.y, r.w, r.h - below}, &v->rows, "no host matches the filter",
              st);
    if (below)
        draw_fleet_details(c, (struct rect){r.x, r.y + r.h - below, r.w, below}, v,
                           rows_selected(&v->rows, st));
}

static enum view_result act_in_fleet(enum action a, const struct model *m, struct view_state *st)
{
    struct fleet_view *v = st->own;
    const int host = st->selected_key[0] ? atoi(st->selected_key) : -1;
    if (fleet_moment_act(&v->moment, a, m->fleet, host, &v->past)) {
        v->picture = v->moment.wall_ns ? v->past : v->newest;
        return VIEW_HANDLED;
    }
    if (a == ACTION_FLEET_OPEN)
        return st->selected_key[0] ? VIEW_HOST : VIEW_IGNORED;
    return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
}

static int fleet_fd(const void *own)
{
    const struct fleet_view *v = own;
    return v->run ? fleet_run_fd(v->run) : -1;
}

static bool poll_fleet(struct view_state *st)
{
    struct fleet_view *v = st->own;
    struct fleet_picture *fresh = v->run ? fleet_run_take(v->run) : NULL;
    if (!fresh)
        return false;
    fleet_picture_unref(v->newest);
    v->newest = fresh;
    if (v->moment.wall_ns) /* what is shown stays */
        return false;
    v->picture = fresh;
    return true;
}

static bool follow_fleet(const struct model *m, struct view_state *st, bool shown)
{
    struct fleet_view *v = st->own;
    v->run = m->fleet;
    if (v->run && shown)
        fleet_run_ask(v->run);
    return false;
}

static bool fleet_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->fleet != NULL;
}

/* What a server tells of is on no host that could be opened. */
static bool takes_in_fleet(enum action a, const struct model *m, const struct view_state *st)
{
    (void)st;
    return a != ACTION_FLEET_OPEN || (m->fleet && fleet_run_visits(m->fleet));
}

const struct view_ops view_fleet = {
    .name = "fleet",
    .title = "fleet",
    .select = ACTION_VIEW_FLEET,
    .contexts = CONTEXTS_FLEET,
    .available = fleet_available,
    .absent = "Many hosts are watched with: rooftop --host node1,node2; in a Slurm allocation: "
              "--host slurm",
    .own_size = sizeof(struct fleet_view),
    .end = end_fleet_view,
    .fd = fleet_fd,
    .poll = poll_fleet,
    .follow = follow_fleet,
    .draw = draw_fleet,
    .act = act_in_fleet,
    .takes = takes_in_fleet,
    .own_time = true,
    .fields = fleet_fields,
};
