#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/metric.h"
#include "tui/layout.h"
#include "tui/view.h"
#include "tui/views/notice.h"
#include "tui/views/procs.h"
#include "tui/widgets/graph.h"
#include "tui/widgets/meter.h"

/* Below a fifth of the slots nothing is worth being called a bottleneck. */
enum { TOPDOWN_MAX = 8, BOTTLENECK_FROM = 20 };

static const struct value nothing = {.validity = VALUE_PENDING};

/* --- the line about the machine --- */

static int field(struct canvas *c, int x, int y, int end, const char *label, const char *text)
{
    if (!*text || x + (int)strlen(label) + text_width(text) + 1 > end)
        return x;
    if (*label)
        x += canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), "%s ", label);
    return x + canvas_text(c, x, y, end - x, text, STYLE(STYLE_TEXT)) + 2;
}

static void host_line(struct canvas *c, struct rect r, const struct snapshot *s)
{
    char text[160], up[32] = "";
    int end = r.x + r.w - 1, x = r.x + 1;
    if (!s || !s->host) {
        canvas_text(c, x, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    const struct host *h = s->host;
    x += canvas_text(c, x, r.y, r.w / 3, h->hostname, STYLE(STYLE_TITLE)) + 2;
    snprintf(text, sizeof text, "%d × %s", h->ncpus, h->cpu_model[0] ? h->cpu_model : h->arch);
    x = field(c, x, r.y, end, "", text);
    if (h->hypervisor[0] || h->container[0]) {
        snprintf(text, sizeof text, "%s%s%s", h->hypervisor,
                 h->hypervisor[0] && h->container[0] ? ", " : "", h->container);
        x = field(c, x, r.y, end, "", text);
    }
    x = field(c, x, r.y, end, "PMU", h->pmu[0] ? h->pmu : "none");
    if (s->load1.validity == VALUE_OK) {
        char one[VALUE_TEXT_MAX], five[VALUE_TEXT_MAX], fifteen[VALUE_TEXT_MAX];
        snprintf(text, sizeof text, "%s %s %s", value_format(&s->load1, c->ascii, one),
                 value_format(&s->load5, c->ascii, five),
                 value_format(&s->load15, c->ascii, fifteen));
        x = field(c, x, r.y, end, "load", text);
    }
    if (s->uptime_s.validity == VALUE_OK) {
        unsigned long t = (unsigned long)s->uptime_s.v;
        snprintf(up, sizeof up, "%lud %02lu:%02lu", t / 86400, t / 3600 % 24, t / 60 % 60);
        x = field(c, x, r.y, end, "up", up);
    }
    snprintf(text, sizeof text, "%zu, %zu threads, %zu running", s->nprocs, s->nthreads,
             s->nrunning);
    x = field(c, x, r.y, end, "procs", text);
    if (s->pressure.cpu.validity == VALUE_OK && s->pressure.memory.validity == VALUE_OK &&
        s->pressure.io.validity == VALUE_OK) {
        snprintf(text, sizeof text, "cpu %.0f%% mem %.0f%% io %.0f%%", s->pressure.cpu.v,
                 s->pressure.memory.v, s->pressure.io.v);
        x = field(c, x, r.y, end, "stalled", text);
    }
    field(c, x, r.y, end, "kernel", h->kernel);
}

/* --- graphs --- */

struct plot {
    const char *title;  /* the letter after '_' is no key, so there is none */
    const char *series; /* of the history */
    const char *metric; /* whose value is the title's number; NULL: cpu or memory */
    enum style_role role, box;
    enum unit unit;
    double max;
};

static const struct plot cpu_plot = {"cpu",         "cpu.busy",   NULL, STYLE_GRAD_CPU,
                                     STYLE_BOX_CPU, UNIT_PERCENT, 100};
static const struct plot mem_plot = {"memory",      "mem.used", NULL, STYLE_GRAD_USED,
                                     STYLE_BOX_MEM, UNIT_BYTES, 0};
/* The first two of these that were measured take the remaining places. */
static const struct plot wishes[] = {
    {"IPC", "m:ipc", "ipc", STYLE_GRAD_FREE, STYLE_BOX_NET, UNIT_PER_CYCLE, 0},
    {"DRAM", "m:dram_total", "dram_total", STYLE_GRAD_DOWN, STYLE_BOX_NET, UNIT_BYTES_PER_S, 0},
    {"FLOP/s", "m:flops", "flops", STYLE_GRAD_UP, STYLE_BOX_NET, UNIT_FLOP_PER_S, 0},
    {"context switches", "m:switch_rate", "switch_rate", STYLE_GRAD_DOWN, STYLE_BOX_NET,
     UNIT_COUNT_PER_S, 0},
    {"page faults", "m:fault_rate", "fault_rate", STYLE_GRAD_UP, STYLE_BOX_NET, UNIT_COUNT_PER_S,
     0},
    {"context switches", "c:system/context-switches", NULL, STYLE_GRAD_DOWN, STYLE_BOX_NET,
     UNIT_COUNT_PER_S, 0},
};

static struct value plot_value(const struct plot *p, const struct snapshot *s)
{
    if (!s)
        return nothing;
    if (p == &cpu_plot)
        return s->total.busy;
    if (p == &mem_plot)
        return s->memory.used;
    const struct metric *m = p->metric ? snapshot_metric(s, p->metric) : NULL;
    if (m)
        return m->value;
    const char *slash = strchr(p->series, '/');
    const struct counter *k = !p->metric && slash ? snapshot_counter(s, NULL, slash + 1) : NULL;
    return k ? k->rate : value_missing("not here", p->unit);
}

static void draw_plot(struct canvas *c, struct rect r, const struct plot *p, const struct model *m)
{
    static float v[HISTORY_LEN];
    char number[VALUE_TEXT_MAX], total[VALUE_TEXT_MAX], right[64], title[64];
    struct value now = plot_value(p, m->snap);
    value_format(&now, c->ascii, number);
    snprintf(right, sizeof right, "%s", number);
    double max = p->max;
    if (p == &mem_plot && m->snap && m->snap->memory.total.validity == VALUE_OK) {
        max = m->snap->memory.total.v;
        snprintf(right, sizeof right, "%s of %s", number,
                 value_format(&m->snap->memory.total, c->ascii, total));
    }
    /* beside counters of a process, what is the whole machine's says so */
    bool whole = p == &cpu_plot || p == &mem_plot;
    snprintf(title, sizeof title, "%s%s", p->title,
             whole && m->snap && m->snap->target_kind != TARGET_HOST ? " of the host" : "");
    canvas_box(c, r, STYLE(p->box), title, right);
    struct rect in = {r.x + 1, r.y + 1, r.w - 3, r.h - 2};
    size_t n = graph_samples(in);
    n = n > HISTORY_LEN ? HISTORY_LEN : n;
    if (m->history)
        history_get(m->history, p->series, v, n);
    /* once the graph is full, what really passed between its ends; before, what was asked for */
    double span_s = m->interval_s * (double)n;
    if (m->history && n > 1 && history_len(m->history) >= n)
        span_s = history_age(m->history, n - 1) * (double)n / (double)(n - 1);
    graph_draw(c, in,
               &(struct graph){.v = v,
                               .n = m->history ? n : 0,
                               .max = max,
                               .unit = p->unit,
                               .role = p->role,
                               .span_s = span_s,
                               .end = m->moment[0] ? m->moment : NULL});
    if (in.w > GRAPH_LABEL_W)
        canvas_zone(c, (struct rect){in.x + GRAPH_LABEL_W, in.y, in.w - GRAPH_LABEL_W, in.h},
                    ACTION_TIME_GRAPH, ZONE_FROM_RIGHT);
}

static void draw_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m)
{
    const struct plot *chosen[LAYOUT_GRAPHS] = {&cpu_plot, &mem_plot};
    size_t n = 2;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes && n < LAYOUT_GRAPHS; i++) {
        bool twin = n > 2 && strcmp(chosen[n - 1]->title, wishes[i].title) == 0;
        if (!twin && m->snap && plot_value(&wishes[i], m->snap).validity != VALUE_MISSING)
            chosen[n++] = &wishes[i];
    }
    for (size_t i = 0; i < LAYOUT_GRAPHS; i++) {
        if (l->graph[i].h == 0)
            continue;
        if (i < n)
            draw_plot(c, l->graph[i], chosen[i], m);
        else
            canvas_box(c, l->graph[i], STYLE(STYLE_BOX_NET), "…", NULL);
    }
}

/* --- CPUs --- */

static void draw_cpus(struct canvas *c, struct rect r, const struct snapshot *s)
{
    enum { METER_W = 26 };
    int n = s && s->host ? s->host->ncpus : 0, per_row = r.w / METER_W;
    char text[VALUE_TEXT_MAX];
    if (r.h == 0)
        return;
    if (n == 0) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, "cpus …", STYLE(STYLE_DIM));
        return;
    }
    if (n <= 2 * per_row) {
        int w = r.w / (n < per_row ? n : per_row);
        for (int i = 0; i < n; i++) {
            int x = r.x + 1 + i % per_row * w, y = r.y + i / per_row;
            canvas_printf(c, x, y, 7, STYLE(STYLE_DIM), "cpu%-3d", s->cpus[i].id);
            meter_draw(c, x + 7, y, w - 17, &s->cpus[i].busy, STYLE_GRAD_CPU);
            canvas_text_right(c, x + w - 9, y, 6, value_format(&s->cpus[i].busy, c->ascii, text),
                              STYLE(STYLE_TEXT));
        }
        return;
    }
    int hot = heat_draw(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h - 1}, s), y = r.y + r.h - 1;
    int x = r.x + 1 +
            canvas_printf(c, r.x + 1, y, r.w - 2, STYLE(STYLE_DIM), "%d cpus  %s", n,
                          c->ascii ? "0 = idle, 9 = busy  x = offline  "
                                   : "▁ idle  █ busy  x offline  ");
    if (hot >= 0) {
        x += canvas_text(c, x, y, r.x + r.w - x, "busiest ", STYLE(STYLE_DIM));
        canvas_printf(c, x, y, r.x + r.w - x, STYLE(STYLE_TEXT), "cpu%d %s", s->cpus[hot].id,
                      value_format(&s->cpus[hot].busy, c->ascii, text));
    }
}

/* --- key numbers --- */

static const char *const key_metrics[] = {
    "ipc",         "ghz",        "branch_miss",      "l1d_mpki",       "l2_mpki",    "l3_mpki",
    "flops",       "dram_total", "intensity",        "power_package",  "cache_miss", "cpu_util",
    "switch_rate", "fault_rate", "major_fault_rate", "migration_rate", "dtlb_mpki",  "tsc_rate",
    "power_ram",
};

enum { SPARK_MAX = 16, KEY_METRICS = sizeof key_metrics / sizeof *key_metrics };

static void draw_metric(struct canvas *c, int x, int y, int w, const struct metric *k,
                        const struct model *m)
{
    char text[VALUE_TEXT_MAX], series[64];
    float v[SPARK_MAX];
    bool warn =
        k->def->warn_above > 0 && k->value.validity == VALUE_OK && k->value.v > k->def->warn_above;
    value_format(&k->value, c->ascii, text);
    int value_w = text_width(text) > 8 ? text_width(text) : 8, spark = w - 17 - value_w - 3;
    spark = spark < 6 ? 0 : spark > SPARK_MAX ? SPARK_MAX : spark;
    int label_w = w - value_w - (spark ? spark + 3 : 0); /* a gap included */
    label_w = label_w > 21 ? 21 : label_w;
    canvas_text(c, x, y, label_w - 1, k->def->label, STYLE(STYLE_DIM));
    canvas_text_right(c, x + label_w, y, value_w, text, STYLE(warn ? STYLE_WARN : STYLE_TEXT));
    if (warn)
        canvas_put(c, x + label_w + value_w, y, '!', STYLE(STYLE_WARN));
    if (!spark || !m->history)
        return;
    snprintf(series, sizeof series, "m:%s", k->def->id);
    history_get(m->history, series, v, (size_t)spark);
    sparkline_draw(c, x + label_w + value_w + 1, y, spark, v, (size_t)spark, 0, STYLE_GRAD_CPU);
}

/* The measured ones of the list, in its order; returns how many, at most n. */
static size_t choose_metrics(const struct snapshot *s, const struct metric **out, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; s && i < KEY_METRICS && found < n; i++) {
        const struct metric *k = snapshot_metric(s, key_metrics[i]);
        if (k && k->value.validity != VALUE_MISSING)
            out[found++] = k;
    }
    return found;
}

/* Across and down. */
static void draw_metrics(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                         const struct model *m)
{
    int cols = r.w / LAYOUT_METRIC_W;
    if (r.h == 0 || cols == 0)
        return;
    for (int i = 0; i < (int)n && i / cols < r.h; i++) {
        int x0 = (r.w - 1) * (i % cols) / cols, x1 = (r.w - 1) * (i % cols + 1) / cols;
        draw_metric(c, r.x + 1 + x0, r.y + i / cols, x1 - x0 - 1, k[i], m);
    }
    if (n == 0)
        canvas_text(c, r.x + 1, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
}

/* --- top-down --- */

static const struct metric *bottleneck(const struct metric *const *td, size_t n)
{
    const struct metric *worst = NULL;
    for (size_t i = 0; i < n; i++) {
        bool good = strncmp(td[i]->def->id, "td_retiring", 11) == 0;
        if (!good && td[i]->value.validity == VALUE_OK && td[i]->value.v >= BOTTLENECK_FROM &&
            (!worst || td[i]->value.v > worst->value.v))
            worst = td[i];
    }
    return worst;
}

static struct segment segment_of(const struct metric *k)
{
    static const struct {
        const char *id;
        char letter;
        enum style_role role;
        int level;
    } look[] = {
        {"td_retiring", 'R', STYLE_GRAD_FREE, 60}, {"td_frontend", 'F', STYLE_GRAD_DOWN, 70},
        {"td_bad", 'S', STYLE_GRAD_UP, 60},        {"td_backend", 'B', STYLE_GRAD_CPU, 85},
        {"td_smt", 'T', STYLE_GRAD_CACHED, 40},
    };
    struct segment s = {'?', k->value.validity == VALUE_OK ? k->value.v / 100 : 0, STYLE_DIM, 0};
    for (size_t i = 0; i < sizeof look / sizeof *look; i++)
        if (strncmp(k->def->id, look[i].id, strlen(look[i].id)) == 0) {
            s.letter = look[i].letter;
            s.role = look[i].role;
            s.level = look[i].level;
        }
    return s;
}

/* What the letters of the bar stand for; from the left edge where it would not fit under the bar.
 */
static void topdown_legend(struct canvas *c, struct rect r, int x, const struct segment *seg,
                           const struct metric *const *td, size_t n)
{
    char value[TOPDOWN_MAX][VALUE_TEXT_MAX];
    int need = 0, end = r.x + r.w;
    for (size_t i = 0; i < n; i++) {
        value_format(&td[i]->value, c->ascii, value[i]);
        need += (i ? 2 : 0) + 2 + text_width(td[i]->def->label) + 1 + text_width(value[i]);
    }
    if (x + need > end)
        x = r.x + 1;
    for (size_t i = 0; i < n; i++) {
        canvas_put(c, x, r.y + 1, (uint32_t)seg[i].letter, STYLE_LEVEL(seg[i].role, seg[i].level));
        x += 4 + canvas_printf(c, x + 2, r.y + 1, end - x - 2, STYLE(STYLE_DIM), "%s %s",
                               td[i]->def->label, value[i]);
    }
}

static void draw_topdown(struct canvas *c, struct rect r, const struct metric *const *td, size_t n)
{
    struct segment seg[TOPDOWN_MAX];
    char text[VALUE_TEXT_MAX];
    for (size_t i = 0; i < n; i++)
        seg[i] = segment_of(td[i]);
    const struct metric *worst = bottleneck(td, n);
    int x = r.x + 1 + canvas_text(c, r.x + 1, r.y, 10, "top-down", STYLE(STYLE_DIM)) + 2;
    int label = worst ? 36 : 0, w = r.w - (x - r.x) - label - 1;
    if (w > 8)
        stacked_draw(c, x, r.y, w, seg, n);
    if (worst) /* a glyph and words, not only a colour */
        canvas_printf(c, x + w + 1, r.y, label, STYLE(STYLE_CRIT), "◀ %s %s", worst->def->label,
                      value_format(&worst->value, c->ascii, text));
    if (r.h > 1)
        topdown_legend(c, r, x, seg, td, n);
}

/* One quiet line: what keeps the hardware's numbers away, or what else there is to know. */
static void draw_reason(struct canvas *c, struct rect r, const struct snapshot *s)
{
    static const char *const words[] = {"note", "warning", "error"};
    const char *hint = "? says more";
    const struct notice *n = notice_worst(s);
    const struct metric *ipc = snapshot_metric(s, "ipc");
    bool no_pmu = ipc && ipc->value.validity == VALUE_MISSING && (!n || n->level == NOTICE_INFO);
    const char *why = no_pmu ? ipc->value.why : n ? n->text : NULL;
    int x = r.x + 1, end = r.x + r.w - text_width(hint) - 3;
    bool quiet = no_pmu || !n || n->level == NOTICE_INFO;
    x += canvas_printf(c, x, r.y, end - x, STYLE(quiet ? STYLE_DIM : STYLE_WARN), "%s  ",
                       no_pmu || !n ? "hardware counters n/a" : words[n->level]);
    canvas_text(c, x, r.y, end - x, why ? why : "", STYLE(STYLE_DIM));
    canvas_text(c, end + 2, r.y, text_width(hint), hint, STYLE(STYLE_HOT));
}

static bool has_reason(const struct snapshot *s)
{
    const struct metric *ipc = s ? snapshot_metric(s, "ipc") : NULL;
    return s &&
           (notice_worst(s) || (ipc && ipc->value.validity == VALUE_MISSING && ipc->value.why));
}

/* --- the view --- */

static void draw_list(struct canvas *c, struct rect r, const struct model *m, struct view_state *st)
{
    char title[96], right[64] = "";
    if (r.h < 3)
        return;
    snprintf(title, sizeof title, "processes by %s", procs_sort_name(st));
    if (m->snap && st->filter[0])
        snprintf(right, sizeof right, "%zu of %zu match '%.20s'", procs_shown(m, st),
                 m->snap->nprocs, st->filter);
    else if (m->snap)
        snprintf(right, sizeof right, "%zu", m->snap->nprocs);
    canvas_box(c, r, STYLE(STYLE_BOX_PROC), title, right);
    procs_draw(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 2}, m, st);
}

static void draw(struct canvas *c, struct rect area, const struct model *m, struct view_state *st)
{
    const struct metric *td[TOPDOWN_MAX];
    size_t n = notice_topdown(m->snap, td, TOPDOWN_MAX);
    const struct metric *key[KEY_METRICS];
    size_t nkey = choose_metrics(m->snap, key, KEY_METRICS);
    struct overview_facts facts = {
        .ncpus = m->snap && m->snap->host ? m->snap->host->ncpus : 0,
        .nmetrics = (int)nkey,
        .topdown = n > 0 && td[0]->value.validity != VALUE_MISSING,
        .notice = has_reason(m->snap),
    };
    struct overview_layout l;
    layout_overview(area, &facts, &l);
    if (l.host.h)
        host_line(c, l.host, m->snap);
    draw_graphs(c, &l, m);
    draw_cpus(c, l.cpus, m->snap);
    draw_metrics(c, l.metrics, key, nkey, m);
    if (l.topdown.h && facts.topdown)
        draw_topdown(c, l.topdown, td, n);
    else if (l.topdown.h && facts.notice)
        draw_reason(c, l.topdown, m->snap);
    draw_list(c, l.procs, m, st);
}

const struct view_ops view_overview = {
    .name = "overview",
    .title = "overview",
    .select = ACTION_VIEW_OVERVIEW,
    .contexts = CONTEXT_LIST | CONTEXT_PROCS,
    .draw = draw,
    .act = procs_act,
    .sorts = procs_sorts,
    .menu = procs_menu,
};
