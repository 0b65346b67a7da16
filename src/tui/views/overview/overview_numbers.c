/* Key numbers and the top-down bar of the overview. */
#include <stdio.h>
#include <string.h>

#include "engine/live/metric.h"
#include "tui/views/overview/overview.h"
#include "tui/widgets/area.h"
#include "tui/widgets/gpu_row.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/notice.h"

/* A category with less than a fifth of the slots is not called a bottleneck. */
enum { BOTTLENECK_FROM = 20 };

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
    if (spark < 6)
        spark = 0;
    else if (spark > SPARK_MAX)
        spark = SPARK_MAX;
    int label_w = w - value_w - (spark ? spark + 3 : 0); /* includes a gap */
    label_w = label_w > 21 ? 21 : label_w;
    int used = canvas_text(c, x, y, label_w - 1, k->def->label, STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){x, y, used, 1}, ACTION_EXPAND, BOX_METRICS + 1);
    canvas_text_right(c, x + label_w, y, value_w, text, STYLE(warn ? STYLE_WARN : STYLE_TEXT));
    if (warn)
        canvas_put(c, x + label_w + value_w, y, '!', STYLE(STYLE_WARN));
    if (!spark || !m->series)
        return;
    snprintf(series, sizeof series, "m:%s", k->def->id);
    live_series_get(m->series, series, v, (size_t)spark);
    sparkline_draw(c, x + label_w + value_w + 1, y, spark, v, (size_t)spark, 0, STYLE_GRAD_CPU);
}

size_t overview_choose(const struct snapshot *s, const struct metric **out, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; s && i < KEY_METRICS && found < n; i++) {
        const struct metric *k = snapshot_metric(s, key_metrics[i]);
        if (k && k->value.validity != VALUE_MISSING)
            out[found++] = k;
    }
    return found;
}

/* Draws the numbers in rows, from left to right. */
void overview_numbers(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
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

static const struct metric *find_topdown_worst(const struct metric *const *td, size_t n)
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

/*
 * Draws the meaning of the letters of the bar below it, or from the left edge if that would not
 * fit.
 */
static void topdown_legend(struct canvas *c, struct rect r, int x, const struct segment *seg,
                           const struct metric *const *td, size_t n)
{
    char value[OVERVIEW_TOPDOWN_MAX][VALUE_TEXT_MAX];
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

void overview_topdown(struct canvas *c, struct rect r, const struct metric *const *td, size_t n)
{
    struct segment seg[OVERVIEW_TOPDOWN_MAX];
    char text[VALUE_TEXT_MAX];
    for (size_t i = 0; i < n; i++)
        seg[i] = segment_of(td[i]);
    const struct metric *worst = find_topdown_worst(td, n);
    int x = r.x + 1 + canvas_text(c, r.x + 1, r.y, 10, "top-down", STYLE(STYLE_DIM)) + 2;
    struct style hot = STYLE(STYLE_HOT);
    hot.underline = 1;
    canvas_restyle(c, (struct rect){r.x + 1, r.y, 1, 1}, hot); /* the letter of the box */
    canvas_zone(c, (struct rect){r.x + 1, r.y, 8, 1}, ACTION_EXPAND, BOX_TOPDOWN + 1);
    int label = worst ? 36 : 0, w = r.w - (x - r.x) - label - 1;
    if (w > 8)
        stacked_draw(c, x, r.y, w, seg, n);
    if (worst) /* a symbol and words, so that colour is not needed */
        canvas_printf(c, x + w + 1, r.y, label, STYLE(STYLE_CRIT), "◀ %s %s", worst->def->label,
                      value_format(&worst->value, c->ascii, text));
    if (r.h > 1)
        topdown_legend(c, r, x, seg, td, n);
}

/* Draws why hardware counters are missing, or another notice. */
void overview_reason(struct canvas *c, struct rect r, const struct snapshot *s)
{
    if (!s) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    static const char *const words[] = {"note", "warning", "error"};
    const char *hint = "? says more";
    const struct notice *n = notice_worst(s);
    const char *no_counters = notice_no_counters(s);
    bool no_pmu = no_counters && (!n || n->level == NOTICE_INFO);
    const char *why = n ? n->text : NULL;
    if (no_pmu)
        why = no_counters;
    int x = r.x + 1, end = r.x + r.w - text_width(hint) - 3;
    bool quiet = no_pmu || !n || n->level == NOTICE_INFO;
    x += canvas_printf(c, x, r.y, end - x, STYLE(quiet ? STYLE_DIM : STYLE_WARN), "%s  ",
                       no_pmu || !n ? "hardware counters n/a" : words[n->level]);
    canvas_text(c, x, r.y, end - x, why ? why : "", STYLE(STYLE_DIM));
    canvas_text(c, end + 2, r.y, text_width(hint), hint, STYLE(STYLE_HOT));
    canvas_zone(c, (struct rect){end + 2, r.y, text_width(hint), 1}, ACTION_HELP, 0);
}

bool overview_has_reason(const struct snapshot *s)
{
    return notice_worst(s) || notice_no_counters(s);
}

/* --- expanded --- */

void overview_numbers_tall(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                           const struct model *m)
{
    enum { NAME = 22, VALUE = 14, FAR = 512 };
    char text[VALUE_TEXT_MAX], series[64];
    float v[FAR];
    int spark = r.w - NAME - VALUE - 6;
    spark = spark > FAR ? FAR : spark;
    for (int i = 0; i < (int)n && i < r.h; i++) {
        const struct metric_def *d = k[i]->def;
        bool warn =
            d->warn_above > 0 && k[i]->value.validity == VALUE_OK && k[i]->value.v > d->warn_above;
        canvas_text(c, r.x + 1, r.y + i, NAME - 1, d->label, STYLE(STYLE_DIM));
        canvas_text_right(c, r.x + 1 + NAME, r.y + i, VALUE,
                          value_format(&k[i]->value, c->ascii, text),
                          STYLE(warn ? STYLE_WARN : STYLE_TEXT));
        if (warn)
            canvas_put(c, r.x + 1 + NAME + VALUE, r.y + i, '!', STYLE(STYLE_WARN));
        if (spark < 6 || !m->series)
            continue;
        snprintf(series, sizeof series, "m:%s", d->id);
        live_series_get(m->series, series, v, (size_t)spark);
        sparkline_draw(c, r.x + NAME + VALUE + 4, r.y + i, spark, v, (size_t)spark, 0,
                       STYLE_GRAD_CPU);
    }
}

static void draw_topdown_row(struct canvas *c, struct rect r, int y, const struct metric *k)
{
    enum { NAME = 28, VALUE = 10 };
    char text[VALUE_TEXT_MAX];
    int indent = k->def->level > 1 ? 2 : 0, w = r.w - NAME - VALUE - 4;
    canvas_text(c, r.x + 1 + indent, y, NAME - indent, k->def->label,
                STYLE(indent ? STYLE_TEXT : STYLE_TITLE));
    canvas_text_right(c, r.x + 1 + NAME, y, VALUE, value_format(&k->value, c->ascii, text),
                      STYLE(STYLE_TEXT));
    if (w > 8)
        meter_draw(c, r.x + NAME + VALUE + 3, y, w, &k->value, STYLE_GRAD_CPU);
}

void overview_topdown_tall(struct canvas *c, struct rect r, const struct metric *const *td,
                           size_t n, const struct snapshot *s)
{
    int y = r.y + 3, end = r.y + r.h;
    if (n)
        overview_topdown(c, (struct rect){r.x, r.y, r.w, 2}, td, n);
    for (size_t i = 0; i < n && y < end; i++) {
        draw_topdown_row(c, r, y++, td[i]);
        for (size_t k = 0; s && k < s->nmetrics && y < end; k++) {
            const struct metric_def *d = s->metrics[k].def;
            if (d->level > 1 && d->parent && strcmp(d->parent, td[i]->def->id) == 0)
                draw_topdown_row(c, r, y++, &s->metrics[k]);
        }
    }
}

void overview_gpus(struct canvas *c, struct rect r, const struct model *m)
{
    char title[48];
    const struct gpus *g = m->snap ? m->snap->gpus : NULL;
    if (r.h < 3 || r.w < 40)
        return;
    snprintf(title, sizeof title, "gpus%s", g && g->emulated ? " (EMULATED)" : "");
    overview_box(c, r, STYLE_BOX_NET, BOX_GPUS, title, "0 more");
    if (!g || g->n == 0)
        canvas_text(c, r.x + 2, r.y + 1, r.w - 4, "no GPU was found: 0 tells what was looked for",
                    STYLE(STYLE_DIM));
    for (int i = 0; g && i < r.h - 2 && i < (int)g->n; i++)
        gpu_row_draw(c, (struct rect){r.x + 2, r.y + 1 + i, r.w - 4, 1}, m, i, false);
}
