#include <math.h>
#include <stdio.h>

#include "engine/value/document.h"
#include "export/bench/history_export.h"
#include "tui/views/history/history.h"
#include "tui/widgets/table.h"

enum { LEAST_PLOT = 5, MOST_PLOT = 16, LIST = 40 };
enum { COLUMN_SAMPLE, COLUMN_VALUE, COLUMN_DISTANCE, COLUMNS };

static const struct column columns[COLUMNS] = {{"SAMPLE", 7, false, true, 0},
                                               {"VALUE", 14, false, true, 0},
                                               {"FROM MEDIAN", 12, false, true, 0}};

struct shown {
    const struct history_series *s;
    const struct history_pair *pair;
    bool ascii;
};

static double sample_value(const void *pair, size_t i)
{
    const struct history_pair *p = pair;
    return p->v[1][i];
}

static void samples_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct shown *shown = ctx;
    double v = shown->pair->v[1][i];
    char value[48];
    *st = STYLE(col == COLUMN_SAMPLE ? STYLE_DIM : STYLE_TEXT);
    if (col == COLUMN_SAMPLE)
        snprintf(text, TABLE_CELL_MAX, "%zu", i + 1);
    else if (col == COLUMN_VALUE)
        snprintf(text, TABLE_CELL_MAX, "%s", history_value(shown->s, v, shown->ascii, value));
    else
        snprintf(text, TABLE_CELL_MAX, "%+.2f %%", 100 * (v / shown->pair->middle[1] - 1));
}

static void samples_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    (void)ctx;
    snprintf(out, VIEW_TEXT_MAX, "%zu", i);
}

/* Draws the conditions under which the run was measured, and the means of its counters. */
static void draw_place(struct canvas *c, struct rect r, const struct history_point *p)
{
    const struct bench_conditions *at = &p->conditions;
    char load[32] = "", utc[40];
    int y = 0;
    if (isfinite(p->load))
        snprintf(load, sizeof load, "%.2f", p->load);
    const struct {
        const char *what, *text;
    } rows[] = {{"began", utc_text(p->time_ns, utc)},
                {"commit", at->commit},
                {"branch", at->branch},
                {"compiler", p->compiler},
                {"CPU", at->cpu},
                {"kernel", at->kernel},
                {"microcode", at->microcode},
                {"governor", at->governor},
                {"turbo", at->turbo},
                {"SMT", at->smt},
                {"load", load},
                {"by", p->tool}};
    for (; y < (int)(sizeof rows / sizeof *rows) && y < r.h; y++) {
        int x = r.x + canvas_printf(c, r.x, r.y + y, r.w, STYLE(STYLE_DIM), "%-10s", rows[y].what);
        canvas_text(c, x, r.y + y, r.x + r.w - x, *rows[y].text ? rows[y].text : "unknown",
                    STYLE(*rows[y].text ? STYLE_TEXT : STYLE_DIM));
    }
    for (int k = 0; k < BENCH_COUNTERS && y < r.h; k++)
        if (isfinite(p->counters[k]))
            canvas_printf(c, r.x, r.y + y++, r.w, STYLE(STYLE_TEXT), "%-14s %.6g",
                          bench_counter_names[k], p->counters[k]);
}

void history_draw_samples(struct canvas *c, struct rect r, const struct history_series *s,
                          struct view_state *st)
{
    struct history_state *own = st->own;
    size_t at = history_point_at(s, own->run), first = history_first_of(own, s, at);
    own->wish[0] = first < s->n ? s->points[first].id : 0;
    own->wish[1] = own->run;
    const struct history_pair *pair = own->pair && own->pair->id[1] == own->run ? own->pair : NULL;
    const struct shown shown = {s, pair, c->ascii};
    const struct table t = {.columns = columns,
                            .ncolumns = COLUMNS,
                            .sort = -1,
                            .ctx = &shown,
                            .nrows = pair ? pair->n[1] : 0,
                            .cell = samples_cell,
                            .key = samples_key};
    int plot = r.h / 2 > MOST_PLOT ? MOST_PLOT : r.h / 2;
    int list = r.w - LIST >= 24 ? LIST : r.w;
    plot = plot < LEAST_PLOT ? 0 : plot;
    table_draw(c, (struct rect){r.x, r.y + plot, list - 1, r.h - plot}, &t, st);
    if (!pair)
        canvas_text(c, r.x, r.y, r.w, *own->pair_failed ? own->pair_failed : "reading the samples",
                    STYLE(STYLE_TITLE));
    else if (pair->n[1] == 0)
        canvas_text(c, r.x, r.y, r.w, "no samples of this run were stored, only its value",
                    STYLE(STYLE_TITLE));
    if (list < r.w && at < s->n)
        draw_place(c, (struct rect){r.x + list + 1, r.y + plot, r.w - list - 1, r.h - plot},
                   &s->points[at]);
    const struct history_plot graph = {.s = s,
                                       .value = sample_value,
                                       .ctx = pair,
                                       .n = t.nrows,
                                       .selected = (size_t)st->selected,
                                       .marked = SIZE_MAX};
    if (plot && t.nrows)
        history_plot_draw(c, (struct rect){r.x, r.y, r.w, plot}, &graph);
}
