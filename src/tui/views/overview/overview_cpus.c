/* The CPUs of the overview: a meter for each if they are few, a heat map if they are many. */
#include <stdio.h>
#include <string.h>

#include "tui/views/overview/overview.h"
#include "tui/widgets/meter.h"

enum { METER_W = 26, DETAIL_W = 66 }; /* "cpu 12 ▇▇▇▇▇▇▇▇▇─── 100 %" */

static int meters_per_row(int w)
{
    return w / METER_W > 0 ? w / METER_W : 1;
}

int overview_cpu_rows(const struct snapshot *s, int w)
{
    int n = s && s->host ? s->host->ncpus : 0, per_row = meters_per_row(w);
    if (n <= 0)
        return 1;
    if (w >= METER_W && n <= 2 * per_row)
        return (n + per_row - 1) / per_row;
    return heat_rows(s, w - 2) + 1; /* one more row for the legend */
}

static void draw_cpu_meter(struct canvas *c, int x, int y, int w, const struct cpu *k, bool tall)
{
    char text[VALUE_TEXT_MAX];
    int used = canvas_printf(c, x, y, 7, STYLE(STYLE_DIM), "cpu%d", k->id);
    if (!tall) /* an expanded box may have more CPUs than a canvas has zones */
        canvas_zone(c, (struct rect){x, y, used, 1}, ACTION_EXPAND, BOX_CPUS + 1);
    meter_draw(c, x + 7, y, w - 17, &k->busy, STYLE_GRAD_CPU);
    canvas_text_right(c, x + w - 9, y, 6, value_format(&k->busy, c->ascii, text),
                      STYLE(STYLE_TEXT));
}

static void draw_cpu_meters(struct canvas *c, struct rect r, const struct snapshot *s, bool tall)
{
    int n = s->host->ncpus, per_row = meters_per_row(r.w), w = r.w / (n < per_row ? n : per_row);
    for (int i = 0; i < n && i / per_row < r.h; i++)
        draw_cpu_meter(c, r.x + 1 + i % per_row * w, r.y + i / per_row, w, &s->cpus[i], tall);
}

/* Draws the parts of the busy share, and the socket and node of the CPU. */
static void draw_cpu_details(struct canvas *c, int x, int y, int w, const struct cpu *k)
{
    const struct {
        const char *name;
        const struct value *v;
    } part[] = {{"user", &k->user}, {"system", &k->system}, {"iowait", &k->iowait},
                {"irq", &k->irq},   {"steal", &k->steal},   {"", &k->hz}};
    char text[VALUE_TEXT_MAX];
    int end = x + w;
    for (size_t i = 0; i < sizeof part / sizeof *part && x + 15 <= end; i++) {
        if (part[i].v->validity == VALUE_MISSING)
            continue;
        int used = canvas_text(c, x, y, 7, part[i].name, STYLE(STYLE_DIM));
        canvas_text_right(c, x + used + (used > 0), y, 8, value_format(part[i].v, c->ascii, text),
                          STYLE(STYLE_TEXT));
        x += used + 10;
    }
    if (x + 26 <= end && k->package >= 0)
        canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), "socket %d core %d cache %d", k->package,
                      k->core, k->llc);
}

static void draw_cpu_lines(struct canvas *c, struct rect r, const struct snapshot *s)
{
    int w = r.w >= 100 ? 40 : METER_W;
    for (int i = 0; i < s->host->ncpus; i++) {
        draw_cpu_meter(c, r.x + 1, r.y + i, w, &s->cpus[i], true);
        draw_cpu_details(c, r.x + 1 + w, r.y + i, r.w - w - 2, &s->cpus[i]);
    }
}

static int draw_legend_item(struct canvas *c, int x, int y, int end, const char *label,
                            const char *text)
{
    if (x + text_width(label) + text_width(text) > end)
        return x;
    x += canvas_text(c, x, y, end - x, label, STYLE(STYLE_DIM));
    return x + canvas_text(c, x, y, end - x, text, STYLE(STYLE_TEXT)) + 2;
}

/* Draws the line below the map: what a cell cannot show, then the meaning of the cells. */
static void draw_cpu_legend(struct canvas *c, struct rect r, const struct snapshot *s, int hottest,
                            bool memory)
{
    char text[96], a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    int x = r.x + 1, end = r.x + r.w - 1;
    snprintf(text, sizeof text, "%d cpus ", s->host->ncpus);
    canvas_zone(c, (struct rect){x, r.y, text_width(text) - 1, 1}, ACTION_EXPAND, BOX_CPUS + 1);
    x = draw_legend_item(c, x, r.y, end, text, value_format(&s->total.busy, c->ascii, a));
    if (memory && s->memory.used.validity == VALUE_OK) {
        snprintf(text, sizeof text, "%s of %s", value_format(&s->memory.used, c->ascii, a),
                 value_format(&s->memory.total, c->ascii, b));
        x = draw_legend_item(c, x, r.y, end, "memory ", text);
    }
    if (hottest >= 0) {
        snprintf(text, sizeof text, "cpu%d %s", s->cpus[hottest].id,
                 value_format(&s->cpus[hottest].busy, c->ascii, a));
        x = draw_legend_item(c, x, r.y, end, "busiest ", text);
    }
    x = draw_legend_item(c, x, r.y, end,
                         c->ascii ? "0 idle  9 busy  x offline" : "▁ idle  █ busy  x offline", "");
    draw_legend_item(c, x, r.y, end, "a gap parts last-level caches, a new line sockets", "");
}

void overview_cpus(struct canvas *c, struct rect r, const struct snapshot *s, bool tall,
                   bool memory)
{
    int n = s && s->host ? s->host->ncpus : 0, per_row = meters_per_row(r.w);
    if (r.h <= 0)
        return;
    if (n == 0) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, "cpus …", STYLE(STYLE_DIM));
        return;
    }
    if (tall && n <= r.h && r.w >= DETAIL_W)
        draw_cpu_lines(c, r, s);
    else if (r.w >= METER_W && n <= per_row * (tall ? r.h : 2))
        draw_cpu_meters(c, r, s, tall);
    else {
        int hottest = heat_draw(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h - 1}, s);
        int rows = heat_rows(s, r.w - 2), y = rows < r.h ? r.y + rows : r.y + r.h - 1;
        draw_cpu_legend(c, (struct rect){r.x, y, r.w, 1}, s, hottest, memory);
    }
}
