/* The rows of the view: which metrics and events it lists, in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/live/metric.h"
#include "tui/views/counters/counters.h"

const char *counters_row_name(const struct counters_row *r)
{
    if (r->heading)
        return r->heading;
    return r->metric ? r->metric->def->label : r->counter->name;
}

const struct value *counters_row_value(const struct counters_row *r)
{
    return r->metric ? &r->metric->value : &r->counter->rate;
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
const struct counter *counters_event_of(const struct snapshot *s, const struct metric *v)
{
    for (size_t i = 0; s && i < s->ncounters; i++)
        if (is_rate_measured(v, &s->counters[i]))
            return &s->counters[i];
    return NULL;
}

/* Whether the user asked for this event by name, so that a set of rooftop's own counts it again. */
static bool is_asked_elsewhere(const struct counter *c, const struct snapshot *s)
{
    const struct counter *asked = c->user ? NULL : snapshot_counter(s, "user", c->name);
    return asked && asked->user && asked->rate.validity == VALUE_OK &&
           c->rate.validity == VALUE_OK && asked->rate.v == c->rate.v;
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
        const bool told = is_in_metric(r.counter, s, k) || is_asked_elsewhere(r.counter, s);
        if (!skip && !put_away && query_match(filter, &r) && !told)
            add_counters_row(k, r);
    }
    drop_empty_heading(k);
}

static int by_counter_name(const void *a, const void *b)
{
    const struct counters_row *p = a, *q = b;
    int d = strcmp(counters_row_name(p), counters_row_name(q));
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

void counters_collect(struct counters_state *k, const struct snapshot *s,
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
