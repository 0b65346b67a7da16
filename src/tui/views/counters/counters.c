/*
 * Every derived metric and every event, in sections, with the share of the time in which it was
 * counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/live/metric.h"
#include "tui/model/counter_key.h"
#include "tui/views/counters/counters.h"
#include "tui/widgets/cut.h"
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
    int note_width; /* cells of WHAT IT IS */
    bool ascii;
};

struct counters_state { /* view_state.own: the rows; the array is reused from picture to picture */
    struct counters_row *rows;
    size_t n, cap;
};

static void free_counters(void *own)
{
    free(((struct counters_state *)own)->rows);
}

enum { PART_METRICS, PART_EVENTS, PART_ABSENT, PART_PORTS };
static const struct view_box boxes[] = {
    {"metrics", 'm', "derived numbers"},
    {"events", 'v', "what was counted"},
    {"absent", 'a', "what this machine does not have, and why"},
    {"ports", 'p', "what fills the pipes and ports of the cores (--ports)"},
    {NULL, 0, NULL},
};

enum { SORT_SECTIONS, SORT_NAME, SORT_SHARE, SORTS };
static const char *const sort_names[SORTS + 1] = {"section", "name", "share counted"};

static const char *row_name(const struct counters_row *r)
{
    if (r->heading)
        return r->heading;
    return r->metric ? r->metric->def->label : r->counter->name;
}

static const struct value *counters_row_value(const struct counters_row *r)
{
    return r->metric ? &r->metric->value : &r->counter->rate;
}

static bool is_counter_match(const struct counters_row *r, const char *needle)
{
    if (table_contains(row_name(r), needle))
        return true;
    if (r->metric)
        return table_contains(r->metric->def->id, needle) ||
               table_contains(r->metric->def->formula ? r->metric->def->formula : "", needle) ||
               table_contains(r->metric->def->what ? r->metric->def->what : "", needle);
    return table_contains(r->counter->desc, needle) || table_contains(r->counter->set, needle) ||
           table_contains(r->counter->source, needle);
}

static void add_counters_row(struct counters_state *k, struct counters_row r)
{
    LIST_ADD(k->rows, k->n, k->cap, r);
}

/* Removes a heading that has no rows. */
static void drop_empty_heading(struct counters_state *k)
{
    k->n -= k->n && k->rows[k->n - 1].heading;
}

/* Adds the parts of a metric below it. */
static void add_parts(const struct snapshot *s, const char *id, const struct query *filter,
                      struct counters_state *k)
{
    for (size_t i = 0; i < s->nmetrics; i++) {
        const char *parent = s->metrics[i].def->parent;
        struct counters_row r = {.metric = &s->metrics[i]};
        if (parent && strcmp(parent, id) == 0 && query_match(filter, &r))
            add_counters_row(k, r);
    }
}

static bool has_parent(const struct snapshot *s, const struct metric_def *d)
{
    return d->parent && snapshot_metric(s, d->parent);
}

static bool group_missing(const struct snapshot *s, int group)
{
    for (size_t i = 0; i < s->nmetrics; i++)
        if ((int)s->metrics[i].def->group == group && s->metrics[i].value.validity != VALUE_MISSING)
            return false;
    return true;
}

static void collect_group(const struct snapshot *s, int group, const struct query *filter,
                          struct counters_state *k)
{
    add_counters_row(
        k, (struct counters_row){.heading = metric_group_title((enum metric_group)group)});
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric_def *d = s->metrics[i].def;
        struct counters_row r = {.metric = &s->metrics[i]};
        if ((int)d->group != group || has_parent(s, d))
            continue;
        if (query_match(filter, &r))
            add_counters_row(k, r);
        if (d->level > 0)
            add_parts(s, d->id, filter, k);
    }
    drop_empty_heading(k);
}

/* missing: collects the groups without any measured metric, otherwise the other groups. */
static void collect_metrics(const struct snapshot *s, const struct query *filter, bool missing,
                            struct counters_state *k)
{
    for (int g = 0; g < METRIC_GROUP_COUNT; g++)
        if (g != METRIC_PORTS && group_missing(s, g) == missing)
            collect_group(s, g, filter, k);
}

/*
 * Whether nothing of a set was measured. Events that the user asked for by name are always shown.
 */
static bool set_missing(const struct snapshot *s, const char *set)
{
    for (size_t i = 0; i < s->ncounters; i++)
        if (strcmp(s->counters[i].set, set) == 0 &&
            (s->counters[i].user || s->counters[i].rate.validity != VALUE_MISSING))
            return false;
    return true;
}

static bool is_of_ports(const struct counter *c)
{
    return strncmp(c->set, "ports", 5) == 0 && !c->user;
}

/* Whether a metric is nothing but an event of this name, per second. */
static bool is_event_rate(const struct metric *v, const struct counter *c)
{
    const char *formula = v->def->formula;
    const size_t n = strlen(c->name);
    return formula && formula[0] == '\'' && v->value.validity == VALUE_OK &&
           strncmp(formula + 1, c->name, n) == 0 && strcmp(formula + 1 + n, "' / interval") == 0;
}

/* Whether it is this very event: another set may count one of the same name for the whole host. */
static bool is_rate_measured(const struct metric *v, const struct counter *c)
{
    return is_event_rate(v, c) && c->rate.validity == VALUE_OK &&
           fabs(c->rate.v - v->value.v) <= 1e-6 * fabs(v->value.v);
}

/* Whether the row of a metric, which is shown, has all that the event's own row would have. */
static bool is_in_metric(const struct counter *c, const struct snapshot *s,
                         const struct counters_state *k)
{
    const bool host = s->target_kind == TARGET_HOST;
    for (size_t i = 0; i < k->n; i++) {
        const struct metric *v = k->rows[i].metric;
        if (v && (host ? is_event_rate(v, c) : is_rate_measured(v, c)))
            return true;
    }
    return false;
}

/* The event that a metric is the rate of; NULL: it is computed otherwise. */
static const struct counter *find_counter_of(const struct snapshot *s, const struct metric *v)
{
    for (size_t i = 0; s && i < s->ncounters; i++)
        if (is_rate_measured(v, &s->counters[i]))
            return &s->counters[i];
    return NULL;
}

/* ports: collects the sets of ports only, otherwise the other sets. */
static void collect_counters(const struct snapshot *s, const struct query *filter, bool missing,
                             bool ports, struct counters_state *k)
{
    const char *set = NULL;
    bool skip = false;
    for (size_t i = 0; i < s->ncounters; i++) {
        struct counters_row r = {.counter = &s->counters[i]};
        if (is_of_ports(r.counter) != ports)
            continue;
        bool first = !set || strcmp(set, r.counter->set) != 0;
        if (first) {
            set = r.counter->set;
            skip = set_missing(s, set) != missing;
            drop_empty_heading(k);
            if (!skip)
                add_counters_row(k, (struct counters_row){.heading = set, .events = true});
        }
        /*
         * a set that this machine lacks has one row, which says why; with a filter all rows are
         * shown
         */
        bool put_away = missing && !filter && k->n && !k->rows[k->n - 1].heading;
        if (!skip && !put_away && query_match(filter, &r) && !is_in_metric(r.counter, s, k))
            add_counters_row(k, r);
    }
    drop_empty_heading(k);
}

static int by_counter_name(const void *a, const void *b)
{
    const struct counters_row *p = a, *q = b;
    int d = strcmp(row_name(p), row_name(q));
    if (d == 0 && p->counter && q->counter)
        d = strcmp(p->counter->set, q->counter->set);
    return d ? d : (p->metric != NULL) - (q->metric != NULL);
}

static int by_share(const void *a, const void *b)
{
    const struct value *p = counters_row_value(a), *q = counters_row_value(b);
    /* values that were not measured come last */
    double x = p->validity == VALUE_OK ? p->running : 2;
    double y = q->validity == VALUE_OK ? q->running : 2;
    if (x != y)
        return x < y ? -1 : 1;
    return by_counter_name(a, b);
}

/* box: metrics or events. Each has a measured part and a missing part. */
static bool is_box_open(const struct view_state *st, int box, bool missing)
{
    if (st->expanded)
        return st->expanded == box + 1 || (missing && st->expanded == PART_ABSENT + 1);
    return view_box_shown(st, box) && (!missing || view_box_shown(st, PART_ABSENT));
}

static void collect_rows(struct counters_state *k, const struct snapshot *s,
                         const struct view_state *st)
{
    struct counters_row *rows;
    size_t kept = 0;
    k->n = 0;
    if (!s)
        return;
    /* first what this machine has, at the end what it lacks and why */
    for (int missing = 0; missing < 2; missing++) {
        if (is_box_open(st, PART_METRICS, missing))
            collect_metrics(s, st->query, missing, k);
        if (is_box_open(st, PART_EVENTS, missing))
            collect_counters(s, st->query, missing, false, k);
        if (is_box_open(st, PART_PORTS, missing) && group_missing(s, METRIC_PORTS) == missing)
            collect_group(s, METRIC_PORTS, st->query, k);
        if (is_box_open(st, PART_PORTS, missing))
            collect_counters(s, st->query, missing, true, k);
    }
    if (st->sort == SORT_SECTIONS && !st->reverse)
        return;
    rows = k->rows;
    for (size_t i = 0; i < k->n; i++) /* sorted in another way, the list has no sections */
        if (!rows[i].heading)
            rows[kept++] = rows[i];
    if (st->sort != SORT_SECTIONS && kept)
        qsort(rows, kept, sizeof *rows, st->sort == SORT_NAME ? by_counter_name : by_share);
    for (size_t i = 0; st->reverse && i < kept / 2; i++) {
        struct counters_row swap = rows[i];
        rows[i] = rows[kept - 1 - i];
        rows[kept - 1 - i] = swap;
    }
    k->n = kept;
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

/* Descriptions often begin alike: what differs from the row above stays visible. */
static void note_cell(const struct counters_list *l, size_t i, char *text, struct style *st)
{
    const struct counters_row *r = &l->rows[i], *above = i ? r - 1 : NULL;
    const char *note = counter_note(r),
               *other = above && !above->heading ? counter_note(above) : "";
    if (strcmp(note, other) != 0 && cut_looks_same(note, other, l->note_width))
        cut_apart(text, TABLE_CELL_MAX, note, other, l->note_width, l->ascii);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", note);
    *st = STYLE(counters_row_value(r)->validity == VALUE_MISSING ? STYLE_WARN : STYLE_DIM);
}

static void counter_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct counters_list *l = ctx;
    const struct counters_row *r = &l->rows[i];
    if (r->heading) {
        snprintf(text, TABLE_CELL_MAX, r->events ? "%s events" : "%s", r->heading);
        return;
    }
    const struct value *v = counters_row_value(r);
    bool ok = v->validity == VALUE_OK;
    char buf[VALUE_TEXT_MAX];
    switch (col) {
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s%s", r->metric && r->metric->def->level > 1 ? "  " : "",
                 row_name(r));
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
    case COL_COUNT: {
        const struct counter *k = r->metric ? find_counter_of(l->m->snap, r->metric) : r->counter;
        if (k && !k->gauge)
            snprintf(text, TABLE_CELL_MAX, "%s", value_format(&k->delta, 0, buf));
        *st = STYLE(STYLE_DIM);
        break;
    }
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
        note_cell(l, i, text, st);
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
    collect_rows(own, m->snap, st);
    size_t n = own->n;
    struct counters_list l = {.m = m, .rows = own->rows, .n = n, .ascii = c->ascii};
    struct table t = {.columns = columns,
                      .ncolumns = sizeof columns / sizeof *columns,
                      .ctx = &l,
                      .nrows = n,
                      .sort = counter_sort_column(st->sort),
                      .reverse = !st->reverse,
                      .flexible = &l.note_width,
                      .cell = counter_cell,
                      .key = counter_row_key,
                      .match = counter_matches,
                      .heading = heading,
                      .sort_of = counter_sort};
    snprintf(title, sizeof title, "%s by %s", part_name(st), sort_names[st->sort % SORTS]);
    if (m->snap)
        snprintf(right, sizeof right, "%s%s%.30s%s",
                 m->snap->host && m->snap->host->pmu[0] ? m->snap->host->pmu : "",
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
