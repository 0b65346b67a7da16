#include <math.h>
#include <stdio.h>

#include "engine/value/document.h"
#include "export/bench/history_export.h"
#include "export/bench/history_pair_export.h"
#include "tui/views/history/history.h"
#include "tui/widgets/table.h"

enum { LEAST_LIST = 4, LEAST_PLOT = 4, MOST_PLOT = 16, DAY = 10, MINUTE_AT = 11, MINUTE = 5 };
enum {
    COLUMN_RUN,
    COLUMN_TIME,
    COLUMN_VALUE,
    COLUMN_STEP,
    COLUMN_CHANGE,
    COLUMN_COMMIT,
    COLUMN_SAMPLES,
    COLUMN_LOAD,
    COLUMN_KERNEL,
    COLUMN_TOOL,
    COLUMNS
};

static const struct column columns[COLUMNS] = {
    {"RUN", 6, false, true, 0},     {"TIME (UTC)", 16, false, false, 0},
    {"VALUE", 14, false, true, 0},  {"STEP", 9, false, true, 0},
    {"CHANGE", 9, false, false, 1}, {"COMMIT", 10, false, false, 2},
    {"SAMPLES", 7, false, true, 3}, {"LOAD", 6, false, true, 4},
    {"KERNEL", 12, true, false, 5}, {"BY", 16, false, false, 6},
};

struct shown { /* the argument of the table's functions; the last run is the first row */
    const struct history_series *s;
    int64_t marked;
    bool ascii;
};

size_t history_point_at(const struct history_series *s, int64_t id)
{
    size_t i = 0;
    while (i < s->n && s->points[i].id != id)
        i++;
    return i;
}

size_t history_first_of(const struct history_state *own, const struct history_series *s, size_t at)
{
    size_t marked = own->marked ? history_point_at(s, own->marked) : s->n;
    if (marked < s->n)
        return marked == at ? SIZE_MAX : marked;
    return at > 0 ? at - 1 : SIZE_MAX;
}

/* The change that begins with this run; NULL: none. */
static const struct change *change_at(const struct history_series *s, size_t at)
{
    for (size_t k = 0; k < s->nchanges; k++)
        if (s->changes[k].at == at)
            return &s->changes[k];
    return NULL;
}

static void write_run_change(const struct history_series *s, size_t i, char text[TABLE_CELL_MAX],
                             struct style *st)
{
    const struct change *k = change_at(s, i);
    if (!k)
        return;
    bool worse = (k->after > k->before) != s->more_is_good;
    snprintf(text, TABLE_CELL_MAX, "%zu: %s", (size_t)(k - s->changes) + 1,
             worse ? "worse" : "better");
    *st = STYLE(worse ? STYLE_WARN : STYLE_OK);
}

static void write_run_number(const struct shown *shown, size_t i, int col,
                             char text[TABLE_CELL_MAX], struct style *st)
{
    const struct history_series *s = shown->s;
    const struct history_point *p = &s->points[i];
    char value[48];
    if (col == COLUMN_RUN) {
        bool marked = shown->marked && p->id == shown->marked;
        const char *mark = shown->ascii ? "* " : "◆ ";
        snprintf(text, TABLE_CELL_MAX, "%s%zu", marked ? mark : "", i + 1);
        *st = STYLE(marked ? STYLE_HOT : STYLE_DIM);
    } else if (col == COLUMN_VALUE) {
        snprintf(text, TABLE_CELL_MAX, "%s", history_value(s, p->value, shown->ascii, value));
    } else if (col == COLUMN_STEP && i > 0) {
        snprintf(text, TABLE_CELL_MAX, "%+.1f %%", 100 * (p->value / s->points[i - 1].value - 1));
    } else if (col == COLUMN_SAMPLES) {
        snprintf(text, TABLE_CELL_MAX, "%zu", p->n);
    } else if (col == COLUMN_LOAD && isfinite(p->load)) {
        snprintf(text, TABLE_CELL_MAX, "%.2f", p->load);
    }
}

static void runs_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct shown *shown = ctx;
    size_t i = shown->s->n - 1 - row;
    const struct history_point *p = &shown->s->points[i];
    char utc[40];
    *st = STYLE(STYLE_TEXT);
    *text = '\0';
    if (col == COLUMN_TIME) {
        utc_text(p->time_ns, utc);
        snprintf(text, TABLE_CELL_MAX, "%.*s %.*s", DAY, utc, MINUTE, utc + MINUTE_AT);
    } else if (col == COLUMN_CHANGE) {
        write_run_change(shown->s, i, text, st);
    } else if (col == COLUMN_COMMIT) {
        snprintf(text, TABLE_CELL_MAX, "%.10s", p->conditions.commit);
    } else if (col == COLUMN_KERNEL || col == COLUMN_TOOL) {
        snprintf(text, TABLE_CELL_MAX, "%s", col == COLUMN_TOOL ? p->tool : p->conditions.kernel);
        *st = STYLE(STYLE_DIM);
    } else {
        write_run_number(shown, i, col, text, st);
    }
}

static void runs_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct shown *shown = ctx;
    snprintf(out, VIEW_TEXT_MAX, "%lld", (long long)shown->s->points[shown->s->n - 1 - row].id);
}

static bool runs_match(const void *ctx, size_t row, const char *needle)
{
    const struct shown *shown = ctx;
    const struct history_point *p = &shown->s->points[shown->s->n - 1 - row];
    char utc[40];
    return table_contains(p->conditions.commit, needle) ||
           table_contains(p->conditions.kernel, needle) ||
           table_contains(utc_text(p->time_ns, utc), needle);
}

/* Draws the comparison of the two runs, and sets which samples it needs. */
static void draw_pair(struct canvas *c, struct rect r, const struct history_series *s, size_t at,
                      struct history_state *own)
{
    char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE];
    size_t first = history_first_of(own, s, at);
    int64_t id[2] = {first < s->n ? s->points[first].id : 0, s->points[at].id};
    bool read = own->pair && own->pair->id[0] == id[0] && own->pair->id[1] == id[1];
    struct history_two two = {.s = s,
                              .first = first,
                              .second = at,
                              .marked =
                                  own->marked && first < s->n && s->points[first].id == own->marked,
                              .pair = read ? own->pair : NULL,
                              .why = own->pair_failed};
    own->wish[0] = id[0];
    own->wish[1] = id[1];
    int n = history_pair_lines(&two, c->ascii, lines);
    for (int i = 0; i < n && i < r.h; i++) {
        bool verdict = i == 2 && read && own->pair->n[0] && own->pair->n[1];
        const char *word = verdict ? history_pair_word(s, own->pair->verdict) : "";
        enum style_role role = i > 2 ? STYLE_DIM : STYLE_TEXT;
        if (i == 0)
            role = STYLE_TITLE;
        else if (*word == 'w') /* worse */
            role = STYLE_WARN;
        else if (*word == 'b') /* better */
            role = STYLE_OK;
        canvas_text(c, r.x, r.y + i, r.w, lines[i], STYLE(role));
    }
}

void history_draw_runs(struct canvas *c, struct rect r, const struct history_series *s,
                       struct view_state *st)
{
    struct history_state *own = st->own;
    const struct shown shown = {s, own->marked, c->ascii};
    const struct table t = {.columns = columns,
                            .ncolumns = COLUMNS,
                            .sort = -1,
                            .ctx = &shown,
                            .nrows = s->n,
                            .cell = runs_cell,
                            .key = runs_key,
                            .match = runs_match};
    int room = r.h > HISTORY_PAIR_LINES ? r.h - HISTORY_PAIR_LINES - 1 : 0, plot = room / 2;
    plot = plot > MOST_PLOT ? MOST_PLOT : plot;
    if (plot < LEAST_PLOT || room - plot < LEAST_LIST)
        plot = 0;
    struct rect list = {r.x, r.y + plot, r.w, room - plot};
    table_draw(c, list, &t, st);
    if (s->n == 0)
        return;
    size_t at = s->n - 1 - (size_t)st->selected;
    size_t marked = own->marked ? history_point_at(s, own->marked) : s->n;
    const struct history_plot graph = {.s = s,
                                       .value = history_point_value,
                                       .ctx = s,
                                       .n = s->n,
                                       .selected = at,
                                       .marked = marked < s->n ? marked : SIZE_MAX,
                                       .changes = true};
    if (plot)
        history_plot_draw(c, (struct rect){r.x, r.y, r.w, plot}, &graph);
    canvas_fill(c, (struct rect){r.x, r.y + room, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    draw_pair(c, (struct rect){r.x, r.y + room + 1, r.w, r.h - room - 1}, s, at, own);
}
