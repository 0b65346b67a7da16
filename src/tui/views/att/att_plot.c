/* Pictures of a thread trace: states of waves, kinds of instructions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tui/views/att/att.h"
#include "tui/widgets/area.h"

enum { PARTS_MAX = ATT_PARTS_MAX, LABEL_W = 7, NAME_W = 10 };

/* The layers from the axis up, productive states first. Each has a shade of its own. */
static const struct {
    uint8_t state;
    uint32_t glyph;
    struct style style;
} layers[] = {
    {ATT_STATE_EXEC, 0x2588, {.role = STYLE_GRAD_FREE, .level = 90}},
    {ATT_STATE_STALL, 0x2593, {.role = STYLE_GRAD_TEMP, .level = 90}},
    {ATT_STATE_WAIT, 0x2592, {.role = STYLE_GRAD_CACHED, .level = 80}},
    {ATT_STATE_IDLE, 0x2591, {.role = STYLE_DIM}},
    {ATT_STATE_OTHER, 0x00b7, {.role = STYLE_DIM}},
};
enum { LAYERS = sizeof layers / sizeof *layers };

/* --- what is drawn is computed when it changes, because traces are large --- */

/* Chooses the shown time: all, or a part around the times at which an instruction was issued. */
static void choose_span(struct att_plot *now, const struct att_digest *d, uint32_t line, int zoom,
                        uint32_t n, int64_t *from, int64_t *to)
{
    int64_t span = d->to - d->from, middle = d->from + span / 2;
    if (zoom)
        att_issues_bins(&d->trace, line, d->from, d->to, n, now->issues, &middle);
    if (span >> zoom > (int64_t)n)
        span >>= zoom;
    else if (zoom && span > (int64_t)n)
        span = n; /* one cycle per cell */
    *from = middle - span / 2 < d->from ? d->from : middle - span / 2;
    *from = *from + span > d->to ? d->to - span : *from;
    *to = *from + span;
}

static void work_out_states(struct att_plot *now, const struct att_digest *d, int64_t from,
                            int64_t to, uint32_t n)
{
    now->from = from, now->to = to;
    now->source = att_states_sum(&d->trace, now->cycles);
    att_states_bins(&d->trace, from, to, n, now->states);
    now->most = 0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < LAYERS; k++)
            sum += now->states[i][layers[k].state];
        now->most = sum > now->most ? sum : now->most;
    }
}

static void work_out(struct att_plot *now, const struct att_digest *d, uint32_t row, int zoom,
                     uint32_t n)
{
    bool same = now->id == d->id && now->n == n;
    uint32_t line = row == ATT_UNKNOWN ? ATT_UNKNOWN : d->trace.rows[row].line;
    int64_t from, to, middle;
    now->d = d;
    if (same && now->row == row && now->zoom == zoom)
        return;
    choose_span(now, d, line, zoom, n, &from, &to);
    if (!same || from != now->from || to != now->to)
        work_out_states(now, d, from, to, n);
    now->id = d->id, now->row = row, now->zoom = zoom, now->n = n;
    now->issued = att_issues_bins(&d->trace, line, from, to, n, now->issues, &middle);
    now->most_issues = 0;
    for (uint32_t i = 0; i < n; i++)
        now->most_issues = now->issues[i] > now->most_issues ? now->issues[i] : now->most_issues;
}

/* --- states --- */

/* Where slots show no stalls although instructions stalled, the name of `idle` says so: the
 * sentence at the right has no room in 80 columns. */
static void draw_wave_legend(const struct att_plot *now, struct canvas *c, struct rect r)
{
    const struct att_weight w = att_sum_weight(&now->d->totals, &now->d->totals.all);
    const bool differ = att_states_differ(now->cycles, att_share(w.stall, w.time));
    uint64_t sum = 0;
    int x = r.x, end = r.x + r.w;
    for (int k = 0; k < LAYERS; k++)
        att_add(&sum, now->cycles[layers[k].state]);
    x += canvas_text(c, x, r.y, end - x, "WAVE SLOTS", STYLE(STYLE_HEADING)) + 2;
    for (int k = 0; k < LAYERS; k++) {
        uint8_t state = layers[k].state;
        const bool without = state == ATT_STATE_OTHER || (differ && state == ATT_STATE_STALL);
        if ((without && !now->cycles[state]) || end - x < 16)
            continue;
        canvas_put(c, x, r.y, layers[k].glyph, layers[k].style);
        canvas_put(c, x + 1, r.y, layers[k].glyph, layers[k].style);
        const bool both = differ && state == ATT_STATE_IDLE;
        x += 3 + canvas_printf(c, x + 3, r.y, end - x - 3, STYLE(STYLE_TEXT), "%s%s %.1f %%",
                               att_state_name((enum att_state)state), both ? "/stalled" : "",
                               sum ? 100.0 * (double)now->cycles[state] / (double)sum : 0);
        x += 2;
    }
    const char *from = "";
    if (now->source == ATT_STATES_LEVELS)
        from = "all waves, as the tool summed them";
    else if (now->d->trace.waves_read < now->d->trace.nwaves)
        from = "waves read only";
    if (differ)
        from = "a slot is idle, too, while its instruction waits";
    if (end - x > text_width(from) + 2)
        canvas_text_right(c, x, r.y, end - x, from, STYLE(STYLE_DIM));
}

/* The layer at a height in waves; -1 above all layers. */
static int layer_at(const struct att_plot *now, uint32_t part, double height)
{
    for (int k = 0; k < LAYERS; k++) {
        height -= now->states[part][layers[k].state];
        if (height < 0)
            return k;
    }
    return -1;
}

static void draw_area(const struct att_plot *now, struct canvas *c, struct rect r)
{
    for (int y = 0; y < r.h; y++)
        for (int x = 0; x < r.w; x++) {
            int k = layer_at(now, (uint32_t)x, (r.h - y - 0.5) / r.h * now->most);
            if (k >= 0)
                canvas_put(c, r.x + x, r.y + y, layers[k].glyph, layers[k].style);
        }
}

static void draw_wave_axis(const struct att_plot *now, struct canvas *c, struct rect r,
                           const struct att_digest *d)
{
    char number[VALUE_TEXT_MAX], text[64];
    double hz = att_clock_hz(&d->trace);
    for (int i = 0; i <= 4; i++) {
        double cycles = (double)(now->to - now->from) * i / 4 + (double)(now->from - d->from);
        struct value v =
            isnan(hz) ? value_ok(cycles, UNIT_COUNT) : value_ok(cycles / hz, UNIT_SECONDS);
        snprintf(text, sizeof text, "%s%s", cycles == 0 ? "0" : value_format(&v, c->ascii, number),
                 i == 4 && isnan(hz) ? " cycles" : "");
        int w = text_width(text), x = r.x + i * (r.w - 1) / 4;
        int at = x - w / 2;
        if (i == 0)
            at = x;
        else if (i == 4)
            at = x - w + 1;
        canvas_text(c, at, r.y, w, text, STYLE(STYLE_DIM));
    }
}

static void draw_issues(const struct att_plot *now, struct canvas *c, struct rect r)
{
    canvas_text(c, r.x, r.y, LABEL_W - 1, "issued", STYLE(STYLE_DIM));
    for (uint32_t i = 0; i < now->n; i++) {
        double v = now->most_issues > 0 ? now->issues[i] / now->most_issues * 8 : 0;
        int level = (int)ceil(fmax(0, fmin(8, v)));
        canvas_put(c, r.x + LABEL_W + (int)i, r.y, level ? 0x2580 + (uint32_t)level : 0x2500,
                   level ? STYLE(STYLE_HOT) : STYLE(STYLE_METER_BG));
    }
}

void att_draw_waves(struct att_plot *now, struct canvas *c, struct rect r,
                    const struct att_digest *d, uint32_t row, int zoom)
{
    int w = r.w - LABEL_W < PARTS_MAX ? r.w - LABEL_W : PARTS_MAX;
    if (w < 10 || r.h < 4 || d->to <= d->from)
        return;
    work_out(now, d, row, zoom, (uint32_t)w);
    draw_wave_legend(now, c, (struct rect){r.x, r.y, r.w, 1});
    bool issues = r.h >= 5 && row != ATT_UNKNOWN && now->issued;
    struct rect area = {r.x + LABEL_W, r.y + 1, w, r.h - 2 - issues};
    if (now->source == ATT_STATES_NONE) {
        canvas_text(c, area.x, area.y, w, "what they did was not recorded", STYLE(STYLE_DIM));
        return;
    }
    canvas_printf(c, r.x, area.y, LABEL_W - 1, STYLE(STYLE_DIM), "%5.3g", now->most);
    if (area.h > 2)
        canvas_text_right(c, r.x, area.y + area.h - 1, LABEL_W - 2, "0", STYLE(STYLE_DIM));
    draw_area(now, c, area);
    if (issues)
        draw_issues(now, c, (struct rect){r.x, area.y + area.h, r.w, 1});
    draw_wave_axis(now, c, (struct rect){area.x, r.y + r.h - 1, w, 1}, d);
}

/* --- kinds --- */

/*
 * Draws a bar of w cells for the time `whole`: `time` of it is filled, of which `stall` is marked.
 */
static void draw_stall_bar(struct canvas *c, int x, int y, int w, double time, double stall)
{
    int cells = (int)lround(time * w), stalled = (int)lround(stall * w);
    for (int i = 0; i < w; i++)
        if (i < stalled)
            canvas_put(c, x + i, y, 0x2593, STYLE_LEVEL(STYLE_GRAD_TEMP, 90));
        else if (i < cells)
            canvas_put(c, x + i, y, 0x2588, STYLE_LEVEL(STYLE_GRAD_FREE, 90));
        else
            canvas_put(c, x + i, y, 0x2500, STYLE(STYLE_METER_BG));
}

static int draw_categories(struct canvas *c, struct rect r, const struct att_digest *d)
{
    const struct att_totals *t = &d->totals;
    uint8_t order[ATT_CATEGORIES] = {0};
    int n = 0, y = 1;
    for (int k = 0; k < ATT_CATEGORIES; k++) {
        int at = n;
        if (!t->category[k].executed)
            continue;
        uint64_t time = att_sum_weight(t, &t->category[k]).time;
        for (; at > 0 && att_sum_weight(t, &t->category[order[at - 1]]).time < time; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)k;
        n++;
    }
    canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_HEADING), "%-*s%6s%8s", NAME_W, "KIND", "TIME %",
                  "STALL %");
    if (r.w > NAME_W + 30)
        canvas_printf(c, r.x + NAME_W + 16, r.y, r.w - NAME_W - 16, STYLE(STYLE_DIM),
                      "%s stalled  %s issuing", c->ascii ? "#" : "▓", c->ascii ? "@" : "█");
    for (int i = 0; i < n && y < r.h; i++, y++) {
        const struct att_sum *s = &t->category[order[i]];
        struct att_weight w = att_sum_weight(t, s), all = att_sum_weight(t, &t->all);
        double time = att_share(w.time, all.time), stall = att_share(w.stall, all.time);
        double own = att_share(w.stall, w.time);
        time = isnan(time) ? 0 : time;
        stall = isnan(stall) ? 0 : fmin(stall, time);
        canvas_text(c, r.x, r.y + y, NAME_W - 1, att_category_name(order[i]), STYLE(STYLE_TEXT));
        canvas_printf(c, r.x + NAME_W, r.y + y, 6, STYLE(STYLE_TEXT), "%6.1f", 100 * time);
        canvas_printf(c, r.x + NAME_W + 6, r.y + y, 8, STYLE(STYLE_TEXT),
                      isnan(own) ? "     n/a" : "%8.1f", 100 * own);
        draw_stall_bar(c, r.x + NAME_W + 16, r.y + y, r.w - NAME_W - 16, time, stall);
    }
    return y;
}

static int draw_reasons(struct canvas *c, struct rect r, const struct att_digest *d)
{
    uint64_t sum = 0;
    int y = 1;
    for (unsigned i = 0; i < ATT_REASONS_MAX; i++)
        att_add(&sum, d->totals.reasons[i]);
    if (!sum || r.h < 2)
        return 0;
    canvas_text(c, r.x, r.y, r.w, "WHY SAMPLED WAVES DID NOT ISSUE", STYLE(STYLE_HEADING));
    for (unsigned i = 0; i < ATT_REASONS_MAX && y < r.h; i++) {
        double share = (double)d->totals.reasons[i] / (double)sum;
        if (!d->totals.reasons[i])
            continue;
        canvas_text(c, r.x, r.y + y, 25, *att_reason_name(i) ? att_reason_name(i) : "other",
                    STYLE(STYLE_TEXT));
        canvas_printf(c, r.x + 25, r.y + y, 6, STYLE(STYLE_TEXT), "%6.1f", 100 * share);
        draw_stall_bar(c, r.x + 33, r.y + y, r.w - 33, share, share);
        y++;
    }
    return y + 1;
}

static void draw_engines(struct canvas *c, struct rect r, const struct att_digest *d)
{
    char mean[32];
    float v[PARTS_MAX];
    double part[PARTS_MAX];
    int w = r.w - NAME_W - 16 < PARTS_MAX ? r.w - NAME_W - 16 : PARTS_MAX;
    if (r.h < 2 || w < 8 || !d->nengines || d->to <= d->from)
        return;
    canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_HEADING), "%-*s%6s%8s", NAME_W, "ENGINE", "MEAN",
                  "PEAK");
    canvas_text(c, r.x + NAME_W + 16, r.y, w, "waves at a time", STYLE(STYLE_DIM));
    for (uint32_t i = 0; i < d->nengines && (int)i + 1 < r.h; i++) {
        const struct att_occupancy *o = &d->occupancy[i];
        int y = r.y + 1 + (int)i;
        canvas_printf(c, r.x, y, NAME_W, STYLE(STYLE_TEXT), "SE%u", o->se);
        snprintf(mean, sizeof mean, isnan(o->mean) ? "n/a" : "%.1f", o->mean);
        canvas_printf(c, r.x + NAME_W, y, 14, STYLE(STYLE_TEXT), "%6s%8" PRIu64, mean, o->peak);
        att_occupancy_bins(&d->trace, o->se, d->from, d->to, (uint32_t)w, part);
        for (int k = 0; k < w; k++)
            v[k] = (float)part[k];
        sparkline_draw(c, r.x + NAME_W + 16, y, w, v, (size_t)w, (double)o->peak, STYLE_GRAD_CPU);
    }
}

void att_draw_kinds(struct canvas *c, struct rect r, const struct att_digest *d)
{
    int y = draw_categories(c, r, d) + 1;
    y += draw_reasons(c, (struct rect){r.x, r.y + y, r.w, r.h - y}, d);
    draw_engines(c, (struct rect){r.x, r.y + y, r.w, r.h - y}, d);
}

/* --- one instruction --- */

/*
 * Draws what the instruction waited for, or why it did not issue. Returns false if neither is
 * known.
 */
static bool draw_cause(struct canvas *c, struct rect r, const struct att *a,
                       const struct att_row *row)
{
    int x = r.x, end = r.x + r.w;
    for (uint32_t i = 0; row->line != ATT_UNKNOWN && i < a->nwaits && end - x > 20; i++) {
        uint32_t on =
            a->waits[i].line == row->line ? att_row_of_line(a, a->waits[i].on) : ATT_UNKNOWN;
        if (on == ATT_UNKNOWN)
            continue;
        x += canvas_text(c, x, r.y, end - x, x == r.x ? "waits for " : ", ", STYLE(STYLE_DIM));
        x += canvas_text(c, x, r.y, end - x, a->rows[on].isa, STYLE(STYLE_TITLE));
        if (*a->rows[on].source)
            x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " %s", a->rows[on].source);
    }
    for (unsigned k = 0; row->reasons != ATT_UNKNOWN && k < ATT_REASONS_MAX; k++) {
        uint64_t n = a->reasons[row->reasons][k];
        if (n && row->stalled && end - x > 20)
            x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TEXT), "%s%s %.0f %%",
                               x == r.x ? "did not issue: " : ", ", att_reason_name(k),
                               100.0 * (double)n / (double)row->stalled);
    }
    return x > r.x;
}

int att_draw_row(struct canvas *c, struct rect r, const struct att_digest *d, uint32_t row)
{
    const struct att *a = &d->trace;
    const struct att_row *i = &a->rows[row];
    int x = r.x, end = r.x + r.w, y = r.y;
    if (r.h < 1)
        return 0;
    x += canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), "0x%" PRIx64 "  ", i->vaddr);
    x += canvas_text(c, x, y, end - x, *i->source ? i->source : "source unknown",
                     STYLE(*i->source ? STYLE_TITLE : STYLE_DIM));
    if (i->text && end - x > 4)
        canvas_text(c, x + 2, y, end - x - 2, i->text, STYLE(STYLE_TEXT));
    if (r.h < 2)
        return 1;
    if (draw_cause(c, (struct rect){r.x, ++y, r.w, 1}, a, i))
        return 2;
    canvas_printf(c, r.x, y, r.w, STYLE(STYLE_DIM),
                  "%" PRIu64 " hits, %" PRIu64 " cycles, of them %" PRIu64
                  " stalled; idle before it %" PRIu64,
                  i->hits, i->latency, i->stall, i->idle);
    return 2;
}
