/*
 * Every derived metric and every event, in sections, with the share of the time in which it was
 * counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/metric.h"
#include "tui/model/counter_key.h"
#include "tui/views/counters/counters.h"
#include "tui/widgets/table.h"

enum { COL_NAME, COL_VALUE, COL_TREND, COL_COUNT, COL_SHARE, COL_GROUP, COL_FLAGS, COL_NOTE };

static const struct column columns[] = {
    [COL_NAME] = {"NAME", 20, false, false, 0},   [COL_VALUE] = {"VALUE", 12, false, true, 0},
    [COL_TREND] = {"TREND", 16, false, false, 4}, [COL_COUNT] = {"COUNT", 10, false, true, 3},
    [COL_SHARE] = {"COUNTED", 7, false, true, 1}, [COL_GROUP] = {"GRP", 3, false, true, 5},
    [COL_FLAGS] = {"FLAG", 4, false, false, 2},   [COL_NOTE] = {"WHAT IT IS", 30, true, false, 6},
};

struct counters_list {
    const struct model *m;
    struct counters_row *rows;
    size_t n;
};

static void free_counters(void *own)
{
    free(((struct counters_state *)own)->rows);
}

static const struct view_box boxes[] = {
    {"metrics", 'm', "derived numbers"},
    {"events", 'v', "what was counted"},
    {"absent", 'a', "what this machine does not have, and why"},
    {"ports", 'p', "what fills the pipes and ports of the cores (--ports)"},
    {NULL, 0, NULL},
};

static const char *const sort_names[SORTS + 1] = {"section", "name", "share counted"};

static bool is_counter_match(const struct counters_row *r, const char *needle)
{
    if (table_contains(counters_row_name(r), needle))
        return true;
    if (r->metric)
        return table_contains(r->metric->def->id, needle) ||
               table_contains(r->metric->def->formula ? r->metric->def->formula : "", needle) ||
               table_contains(r->metric->def->what ? r->metric->def->what : "", needle);
    return table_contains(r->counter->desc, needle) || table_contains(r->counter->set, needle) ||
           table_contains(r->counter->source, needle);
}

static void series_name(const struct counters_row *r, char out[96])
{
    if (r->metric)
        snprintf(out, 96, "m:%s", r->metric->def->id);
    else
        snprintf(out, 96, "c:%s/%s", r->counter->set, r->counter->name);
}

static void write_counter_trend(const struct counters_list *l, const struct counters_row *r,
                                char *out)
{
    float v[16];
    char series[96];
    series_name(r, series);
    if (!l->m->series || live_series_get(l->m->series, series, v, 16) == 0)
        return;
    float top = 0;
    for (int i = 0; i < 16; i++)
        top = v[i] > top ? v[i] : top;
    for (int i = 0; i < 16; i++) {
        int level = top > 0 && !isnan(v[i]) ? (int)lroundf(v[i] / top * 7) : 0;
        if (level < 0)
            level = 0;
        else if (level > 7)
            level = 7;
        out += isnan(v[i]) ? 0 : text_encode(0x2581u + (unsigned)level, out);
        if (isnan(v[i]))
            *out++ = ' ';
    }
    *out = '\0';
}

static void flags_text(unsigned flags, char *out)
{
    snprintf(out, TABLE_CELL_MAX, "%s%s%s%s", flags & VALUE_SCALED ? "s" : "",
             flags & VALUE_LOW_CONFIDENCE ? "?" : "", flags & VALUE_CROSS_GROUP ? "x" : "",
             flags & VALUE_MODELLED ? "m" : "");
}

/* What the row is, or why it was not measured. */
static const char *counter_note(const struct counters_row *r)
{
    const struct value *v = counters_row_value(r);
    const char *what = r->metric ? r->metric->def->what : r->counter->desc;
    if (v->validity == VALUE_MISSING && v->why)
        what = v->why;
    return what ? what : "";
}

/* A heading. Of what the kernel counts of the whole host it says so where only a part is watched:
 * an event of the part can have the same name. */
static void write_counters_heading(const struct counters_list *l, const struct counters_row *r,
                                   char text[TABLE_CELL_MAX])
{
    const bool part = l->m->snap && l->m->snap->target_kind != TARGET_HOST;
    const bool whole = part && r->events && strcmp(r->heading, "system") == 0;
    if (r->events && strcmp(r->heading, "user") == 0)
        snprintf(text, TABLE_CELL_MAX, "events that were asked for");
    else
        snprintf(text, TABLE_CELL_MAX, "%s%s%s", r->heading, r->events ? " events" : "",
                 whole ? ", of the whole host" : "");
}

/* Bytes that moved, in the units of their rate, which are powers of 1000; a size in memory has
 * powers of 1024. */
static void write_bytes_moved(double bytes, char text[TABLE_CELL_MAX])
{
    enum { KILO = 1000 };
    char rate[VALUE_TEXT_MAX];
    value_text(bytes, UNIT_BYTES_PER_S, false, rate);
    if (bytes < KILO)
        snprintf(text, TABLE_CELL_MAX, "%.0f B", bytes);
    else
        snprintf(text, TABLE_CELL_MAX, "%.*s", (int)(strlen(rate) - strlen("/s")), rate);
}

static void write_count(const struct counters_list *l, const struct counters_row *r,
                        char text[TABLE_CELL_MAX])
{
    const struct counter *k = r->metric ? counters_event_of(l->m->snap, r->metric) : r->counter;
    char count[VALUE_TEXT_MAX];
    if (!k || k->gauge)
        return;
    if (k->rate.unit == UNIT_BYTES_PER_S && k->delta.validity == VALUE_OK)
        write_bytes_moved(k->delta.v, text);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(&k->delta, 0, count));
}

static void counter_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct counters_list *l = ctx;
    const struct counters_row *r = &l->rows[i];
    if (r->heading) {
        write_counters_heading(l, r, text);
        return;
    }
    const struct value *v = counters_row_value(r);
    bool ok = v->validity == VALUE_OK;
    char buf[VALUE_TEXT_MAX];
    switch (col) {
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s%s", r->metric && r->metric->def->level > 1 ? "  " : "",
                 counters_row_name(r));
        *st = STYLE(ok ? STYLE_TEXT : STYLE_DIM);
        break;
    case COL_VALUE: {
        bool warn =
            ok && r->metric && r->metric->def->warn_above > 0 && v->v > r->metric->def->warn_above;
        snprintf(text, TABLE_CELL_MAX, "%s%s", value_format(v, 0, buf), warn ? " !" : "");
        *st = STYLE(ok ? STYLE_TEXT : STYLE_DIM);
        if (warn)
            *st = STYLE(STYLE_WARN);
        break;
    }
    case COL_TREND:
        write_counter_trend(l, r, text);
        *st = STYLE_LEVEL(STYLE_GRAD_CPU, 20);
        break;
    case COL_COUNT:
        write_count(l, r, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_SHARE:
        if (ok)
            snprintf(text, TABLE_CELL_MAX, "%.0f %%", (double)v->running * 100);
        *st = STYLE(v->running < 0.995f ? STYLE_TEXT : STYLE_DIM);
        if (v->running < VALUE_SHARE_LEAST)
            *st = STYLE(STYLE_WARN);
        break;
    case COL_GROUP:
        if (r->counter && r->counter->group >= 0)
            snprintf(text, TABLE_CELL_MAX, "%d", r->counter->group);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_FLAGS:
        flags_text(ok ? v->flags : 0, text);
        *st = STYLE(STYLE_WARN);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", counter_note(r));
        *st = STYLE(v->validity == VALUE_MISSING ? STYLE_WARN : STYLE_DIM);
    }
}

static void counter_row_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct counters_row *r = &((const struct counters_list *)ctx)->rows[i];
    if (r->metric)
        snprintf(out, VIEW_TEXT_MAX, "m:%s", r->metric->def->id);
    else if (r->counter)
        counter_key(r->counter, out);
}

static bool counter_matches(const void *ctx, size_t i, const char *needle)
{
    return is_counter_match(&((const struct counters_list *)ctx)->rows[i], needle);
}

static bool heading(const void *ctx, size_t i)
{
    return ((const struct counters_list *)ctx)->rows[i].heading != NULL;
}

static const char *part_name(const struct view_state *st)
{
    bool one = st->expanded > 0 && st->expanded <= PART_PORTS + 1;
    return one ? boxes[st->expanded - 1].name : "counters";
}

static int counter_sort(int column)
{
    if (column == COL_NAME)
        return SORT_NAME;
    return column == COL_SHARE ? SORT_SHARE : -1;
}

/* The column of an order; -1: the order of sections has none. */
static int counter_sort_column(int sort)
{
    if (sort == SORT_NAME)
        return COL_NAME;
    return sort == SORT_SHARE ? COL_SHARE : -1;
}

/* The selected row's description, which its column may have cut or left out. */
static void draw_selected_note(struct canvas *c, struct rect r, const struct counters_list *l,
                               const struct view_state *st)
{
    const size_t i = (size_t)st->selected;
    if (st->selected >= 0 && i < l->n && !l->rows[i].heading)
        canvas_text(c, r.x, r.y, r.w, counter_note(&l->rows[i]), STYLE(STYLE_TITLE));
}

static void draw_counters(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    char title[64], right[192] = "";
    struct counters_state *own = st->own;
    const char *pmu = m->snap && m->snap->host && m->snap->host->pmu[0] ? m->snap->host->pmu : NULL;
    counters_collect(own, m->snap, st);
    size_t n = own->n;
    struct counters_list l = {.m = m, .rows = own->rows, .n = n};
    struct table t = {.columns = columns,
                      .ncolumns = sizeof columns / sizeof *columns,
                      .ctx = &l,
                      .nrows = n,
                      .sort = counter_sort_column(st->sort),
                      .reverse = !st->reverse,
                      .cell = counter_cell,
                      .key = counter_row_key,
                      .match = counter_matches,
                      .heading = heading,
                      .sort_of = counter_sort};
    snprintf(title, sizeof title, "%s by %s", part_name(st), sort_names[st->sort % SORTS]);
    if (m->snap)
        snprintf(right, sizeof right, "%s%s%s%.30s%s", pmu ? "PMU " : "", pmu ? pmu : "",
                 st->filter[0] ? "  filter '" : "", st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, right);
    table_draw(c, (struct rect){area.x + 1, area.y + 1, area.w - 2, area.h - 4}, &t, st);
    const char *none = st->filter[0] ? "nothing matches the filter" : "no counters";
    if (n == 0)
        canvas_text(c, area.x + 2, area.y + 3, area.w - 4, m->snap ? none : "…", STYLE(STYLE_DIM));
    draw_selected_note(c, (struct rect){area.x + 2, area.y + area.h - 3, area.w - 4, 1}, &l, st);
    canvas_text(c, area.x + 2, area.y + area.h - 2, area.w - 4,
                "FLAG: s scaled  ? counted under 30 %  x across groups  m modelled",
                STYLE(STYLE_DIM));
}

static enum view_result act_in_counters(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    switch (a) {
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

const struct view_ops view_counters = {
    .name = "counters",
    .title = "counters",
    .select = ACTION_VIEW_COUNTERS,
    .contexts = CONTEXT_LIST,
    .own_size = sizeof(struct counters_state),
    .end = free_counters,
    .draw = draw_counters,
    .fields = counters_fields,
    .act = act_in_counters,
    .sorts = sort_names,
    .menu = counters_menu,
    .boxes = boxes,
};
