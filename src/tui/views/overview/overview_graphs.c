/* The graphs of the overview, chosen by what can be measured on this machine. */
#include <stdio.h>
#include <string.h>

#include "tui/views/overview/overview.h"
#include "tui/widgets/area.h"

static const struct value nothing = {.validity = VALUE_PENDING};

static const struct overview_plot cpu_plot = {"cpu",         "cpu.busy",   NULL, STYLE_GRAD_CPU,
                                              STYLE_BOX_CPU, UNIT_PERCENT, 100,  0};
static const struct overview_plot mem_plot = {"memory",      "mem.used", NULL, STYLE_GRAD_USED,
                                              STYLE_BOX_MEM, UNIT_BYTES, 0,    0};
/* The remaining places get the first two of these that were measured. */
static const struct overview_plot wishes[] = {
    {"IPC", "m:ipc", "ipc", STYLE_GRAD_FREE, STYLE_BOX_NET, UNIT_PER_CYCLE, 0, 0},
    {"DRAM", "m:dram_total", "dram_total", STYLE_GRAD_DOWN, STYLE_BOX_NET, UNIT_BYTES_PER_S, 0, 0},
    {"FLOP/s", "m:flops", "flops", STYLE_GRAD_UP, STYLE_BOX_NET, UNIT_FLOP_PER_S, 0, 0},
    {"network", "io.network", NULL, STYLE_GRAD_DOWN, STYLE_BOX_NET, UNIT_BYTES_PER_S, 0, 0},
    {"disk", "io.disk", NULL, STYLE_GRAD_UP, STYLE_BOX_NET, UNIT_BYTES_PER_S, 0, 0},
    {"context switches", "m:switch_rate", "switch_rate", STYLE_GRAD_DOWN, STYLE_BOX_NET,
     UNIT_COUNT_PER_S, 0, 0},
    {"page faults", "m:fault_rate", "fault_rate", STYLE_GRAD_UP, STYLE_BOX_NET, UNIT_COUNT_PER_S, 0,
     0},
    {"context switches", "c:system/context-switches", NULL, STYLE_GRAD_DOWN, STYLE_BOX_NET,
     UNIT_COUNT_PER_S, 0, 0},
};

/* The sum of both directions, which is what the series keeps. */
static struct value sum_traffic(const struct snapshot *s, const char *series)
{
    bool net = strcmp(series, "io.network") == 0;
    const struct counter *in = snapshot_counter(s, "system", net ? "network-receive" : "disk-read");
    const struct counter *out =
        snapshot_counter(s, "system", net ? "network-transmit" : "disk-write");
    if (!in || !out)
        return value_missing("not here", UNIT_BYTES_PER_S);
    if (in->rate.validity != VALUE_OK || out->rate.validity != VALUE_OK)
        return in->rate.validity != VALUE_OK ? in->rate : out->rate;
    return value_ok(in->rate.v + out->rate.v, UNIT_BYTES_PER_S);
}

/* The counter with this series, "c:SET/NAME"; NULL: it is that of something else. */
static const struct counter *find_series_counter(const char *series, const struct snapshot *s)
{
    const char *slash = strchr(series, '/');
    char set[OVERVIEW_SERIES];
    if (strncmp(series, "c:", 2) != 0 || !slash)
        return NULL;
    snprintf(set, sizeof set, "%.*s", (int)(slash - series) - 2, series + 2);
    return snapshot_counter(s, set, slash + 1);
}

struct value overview_plot_value(const struct overview_plot *p, const struct snapshot *s)
{
    if (!s)
        return nothing;
    if (p == &cpu_plot)
        return s->total.busy;
    if (p == &mem_plot)
        return s->memory.used;
    if (strncmp(p->series, "io.", 3) == 0)
        return sum_traffic(s, p->series);
    const struct metric *m = p->metric ? snapshot_metric(s, p->metric) : NULL;
    if (m)
        return m->value;
    const struct counter *k = find_series_counter(p->series, s);
    return k ? k->rate : value_missing("not here", p->unit);
}

/* Bytes; 0: unknown. */
static double total_memory(const struct snapshot *s)
{
    return s && s->memory.total.validity == VALUE_OK ? s->memory.total.v : 0;
}

static double find_plot_top(const struct overview_plot *p, const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > p->least)
            return p->max;
    return p->least > 0 ? p->least : p->max;
}

void overview_plot(struct canvas *c, struct rect r, const struct view_box *boxes, int box,
                   const struct overview_plot *p, const char *title, const char *right,
                   const struct model *m)
{
    float v[LIVE_SERIES_LEN] = {0};
    view_box_draw(c, r, p->box, &boxes[box], box, title, right);
    struct rect in = {r.x + 1, r.y + 1, r.w - 3, r.h - 2};
    size_t n = area_samples(in);
    n = n > LIVE_SERIES_LEN ? LIVE_SERIES_LEN : n;
    if (m->series)
        live_series_get(m->series, p->series, v, n);
    /* the time between the ends of a full graph; before it is full, the expected time */
    double span_s = m->interval_s * (double)n;
    if (m->series && n > 1 && live_series_len(m->series) >= n)
        span_s = live_series_age(m->series, n - 1) * (double)n / (double)(n - 1);
    area_draw(c, in,
              &(struct area){.v = v,
                             .n = m->series ? n : 0,
                             .max = find_plot_top(p, v, n),
                             .limit = p->unit == UNIT_BYTES ? total_memory(m->snap) : 0,
                             .unit = p->unit,
                             .role = p->role,
                             .span_s = span_s,
                             .end = m->moment[0] ? m->moment : NULL});
    if (in.w > AREA_LABEL_W)
        canvas_zone(c, (struct rect){in.x + AREA_LABEL_W, in.y, in.w - AREA_LABEL_W, in.h},
                    ACTION_TIME_GRAPH, ZONE_FROM_RIGHT);
}

static void draw_plot(struct canvas *c, struct rect r, int box, const struct overview_plot *p,
                      const struct model *m)
{
    char number[VALUE_TEXT_MAX], total[VALUE_TEXT_MAX], right[64], title[64];
    struct value now = overview_plot_value(p, m->snap);
    value_format(&now, c->ascii, number);
    snprintf(right, sizeof right, "%s", number);
    if (p == &mem_plot && m->snap && m->snap->memory.total.validity == VALUE_OK) {
        snprintf(right, sizeof right, "%s of %s", number,
                 value_format(&m->snap->memory.total, c->ascii, total));
    }
    /* where a part of the host is watched, a title says whether it is about the part */
    const bool part = m->snap && m->snap->target_kind != TARGET_HOST;
    const bool whole = p == &cpu_plot || p == &mem_plot, counted = strchr(p->series, ':') != NULL;
    snprintf(title, sizeof title, "%s%.40s%s", part && counted ? "its " : "", p->title,
             part && whole ? " of the host" : "");
    overview_plot(c, r, overview_boxes, box, p, title, right, m);
}

size_t overview_asked(const struct snapshot *s, struct overview_asked out[OVERVIEW_ASKED])
{
    static const enum style_role roles[OVERVIEW_ASKED] = {STYLE_GRAD_FREE, STYLE_GRAD_DOWN};
    size_t n = 0;
    for (size_t i = 0; s && i < s->ncounters && n < OVERVIEW_ASKED; i++) {
        const struct counter *k = &s->counters[i];
        if (!k->user || k->rate.validity == VALUE_MISSING)
            continue;
        struct overview_asked *a = &out[n];
        snprintf(a->series, sizeof a->series, "c:%s/%s", k->set, k->name);
        a->plot = (struct overview_plot){.title = k->name,
                                         .series = a->series,
                                         .role = roles[n++],
                                         .box = STYLE_BOX_NET,
                                         .unit = (enum unit)k->rate.unit};
    }
    return n;
}

void overview_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m)
{
    const struct overview_plot *chosen[LAYOUT_GRAPHS] = {&cpu_plot, &mem_plot};
    struct overview_asked asked[OVERVIEW_ASKED];
    const size_t own = overview_asked(m->snap, asked);
    size_t n = 2;
    for (size_t i = 0; i < own && n < LAYOUT_GRAPHS; i++)
        chosen[n++] = &asked[i].plot;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes && n < LAYOUT_GRAPHS; i++) {
        bool twin = n > 2 + own && strcmp(chosen[n - 1]->title, wishes[i].title) == 0;
        if (!twin && m->snap && overview_plot_value(&wishes[i], m->snap).validity != VALUE_MISSING)
            chosen[n++] = &wishes[i];
    }
    for (int i = 0; i < LAYOUT_GRAPHS; i++) {
        if (l->graph[i].h == 0)
            continue;
        if (i < (int)n)
            draw_plot(c, l->graph[i], BOX_CPU + i, chosen[i], m);
        else
            overview_box(c, l->graph[i], STYLE_BOX_NET, BOX_CPU + i, "…", NULL);
    }
}
