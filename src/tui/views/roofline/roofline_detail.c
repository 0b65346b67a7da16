/* The selected point: its numbers, the distance to each ceiling, its dispatches. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/roofline/roofline_cpu.h"
#include "engine/roofline/roofline_reason.h"
#include "tui/views/roofline/roofline.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum {
    DETAIL_ROWS = 8,
    COUNTER_ROWS = 16,
    MORE_ROWS = 4,
    CEILING_ROWS = 3, /* of a CPU's measured roof */
    LABEL_W = 10,
    NAME_W = 12,
    RATE_W = 14,
    BAR_W = 8,
    MISSING_ROWS = 4
};

static void draw_point_detail(struct canvas *c, struct rect r, int row, const char *label,
                              const char *text)
{
    if (row >= r.h)
        return;
    canvas_text(c, r.x, r.y + row, LABEL_W, label, STYLE(STYLE_DIM));
    canvas_text(c, r.x + LABEL_W, r.y + row, r.w - LABEL_W, text, STYLE(STYLE_TEXT));
}

/* Draws a label and a text over as many rows as it needs. Returns the next row. */
static int draw_wrapped_detail(struct canvas *c, struct rect r, int row, const char *label,
                               const char *text)
{
    if (row >= r.h)
        return row;
    canvas_text(c, r.x, r.y + row, LABEL_W, label, STYLE(STYLE_DIM));
    return row + wrap_draw(c, (struct rect){r.x + LABEL_W, r.y + row, r.w - LABEL_W, r.h - row},
                           text, STYLE(STYLE_TEXT));
}

const char *roofline_number(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value value = value_ok(v, unit);
    return value_format(&value, ascii, out);
}

/* --- a point of a program with bricks --- */

/* Writes the time over which the rates are computed. */
static const char *time_note(const struct roof_point *p, bool ascii, char out[96])
{
    char total[VALUE_TEXT_MAX];
    out[0] = '\0';
    if (p->over == OVER_BUSIEST)
        snprintf(out, 96, " of the busiest of its threads: the least it can have been");
    else if (p->over == OVER_SPANS)
        snprintf(out, 96, " in which any thread ran it, for %s of the last calls",
                 roofline_number((double)p->of_total / 1e9, UNIT_SECONDS, ascii, total));
    return out;
}

/* Writes what the roof allows. peak: what a point without an intensity is compared with. */
static const char *tell_bound(const struct roof_point *p, double peak, bool ascii, char out[64])
{
    char number[VALUE_TEXT_MAX];
    if (!isnan(p->intensity))
        snprintf(out, 64, "%s at %.3g FLOP/byte",
                 roofline_number(p->bound, UNIT_FLOP_PER_S, ascii, number), p->intensity);
    else if (peak > 0)
        snprintf(out, 64, "%s",
                 roofline_number(peak, p->memory_bound ? UNIT_BYTES_PER_S : UNIT_FLOP_PER_S, ascii,
                                 number));
    else
        snprintf(out, 64, "its peak is not known");
    return out;
}

/* Writes how far the point is below its roof, or why it is above. */
static void tell_distance(const struct roofline_shown *shown, const struct roof_point *p, char *out,
                          size_t size)
{
    const char *why = roofline_why_above(shown->r, p);
    if (why)
        snprintf(out, size, "%.0f %% of its roof. Likely: %s", 100 * (1 - p->distance), why);
    else if (p->distance > 0.005)
        snprintf(out, size, "%.1f x faster at most", p->distance < 1 ? 1 / (1 - p->distance) : 0);
    else
        snprintf(out, size, "none: it is at its roof");
}

/* Writes the share of each ceiling that the point's work reached: "L1 6 %, L2 13 %, ...". */
static void tell_ceilings(const struct roof *roof, const struct roof_point *p, char *out,
                          size_t size)
{
    size_t n = 0;
    *out = '\0';
    for (uint32_t i = 0; i < roof->nceilings && n < size; i++) {
        const double use = roofline_cpu_use(&roof->ceilings[i], p);
        if (!isnan(use))
            n += (size_t)snprintf(out + n, size - n, "%s%s %.3g %%", n ? ", " : "",
                                  roof->ceilings[i].name, 100 * use);
    }
}

static int draw_cpu_roof(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                         int row, const struct roof_point *p, const struct roof *roof)
{
    char text[400], a[64];
    const struct ceiling *limit = &roof->ceilings[p->limit];
    snprintf(text, sizeof text, "%s of %s, %u thread%s: %s; %s", limit->name, roof->name,
             roof->threads, roof->threads == 1 ? "" : "s", tell_bound(p, limit->peak, c->ascii, a),
             roof->how);
    size_t n = strlen(text);
    if (limit->spread > 0)
        snprintf(text + n, sizeof text - n, ", known to %.1f %%", 100 * limit->spread);
    row = draw_wrapped_detail(c, r, row, "roof", text);
    tell_ceilings(roof, p, text, sizeof text);
    row = draw_wrapped_detail(c, r, row, "of each", text);
    tell_distance(shown, p, text, sizeof text);
    return draw_wrapped_detail(c, r, row, "distance", text);
}

static int draw_roof(const struct roofline_shown *shown, struct canvas *c, struct rect r, int row,
                     const struct roof_point *p, const struct roof *roof)
{
    char text[240], a[64];
    double spread = p->memory_bound ? roof->bytes_spread : roof->flops_spread;
    snprintf(text, sizeof text, "%s: %s, %s bound", roof->name,
             tell_bound(p, p->memory_bound ? roof->bytes : roof->flops, c->ascii, a),
             p->memory_bound ? "memory" : "compute");
    size_t n = strlen(text);
    if (spread > 0)
        snprintf(text + n, sizeof text - n, "; measurements lay %.1f %% apart", 100 * spread);
    row = draw_wrapped_detail(c, r, row, "roof", text);
    tell_distance(shown, p, text, sizeof text);
    return draw_wrapped_detail(c, r, row, "distance", text);
}

static void draw_declared(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                          const struct roof_point *p)
{
    char text[240], note[96], a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    const struct roof *roof = roofline_roof(shown, p);
    snprintf(text, sizeof text, "%s in %u place%s of the tree",
             node_kind_name(shown->g->kind[p->node]), p->places, p->places == 1 ? "" : "s");
    int row = draw_wrapped_detail(c, r, 1, "what", text);
    snprintf(text, sizeof text, "%s GFLOP, %s moved%s",
             p->all_flops ? roofline_number((double)p->all_flops / 1e9, UNIT_NONE, c->ascii, a)
                          : "n/a",
             p->all_bytes ? roofline_number((double)p->all_bytes, UNIT_BYTES, c->ascii, b) : "n/a",
             p->declared ? ", declared" : "");
    row = draw_wrapped_detail(c, r, row, "work", text);
    snprintf(text, sizeof text, "%s%s",
             roofline_number((double)p->elapsed / 1e9, UNIT_SECONDS, c->ascii, a),
             time_note(p, c->ascii, note));
    row = draw_wrapped_detail(c, r, row, "time", text);
    if (roofline_why_no_intensity(p))
        snprintf(text, sizeof text, "%s; %s",
                 isnan(p->flops) ? roofline_number(p->bytes, UNIT_BYTES_PER_S, c->ascii, a)
                                 : roofline_number(p->flops, UNIT_FLOP_PER_S, c->ascii, a),
                 roofline_why_no_intensity(p));
    else
        snprintf(text, sizeof text, "%s, %s",
                 roofline_number(p->flops, UNIT_FLOP_PER_S, c->ascii, a),
                 roofline_number(p->bytes, UNIT_BYTES_PER_S, c->ascii, b));
    row = draw_wrapped_detail(c, r, row, "reached", text);
    if (p->now_rate > 0) {
        snprintf(text, sizeof text, "%s in the last interval (%s)",
                 roofline_number(p->now_rate, UNIT_FLOP_PER_S, c->ascii, a), c->ascii ? "*" : "●");
        row = draw_wrapped_detail(c, r, row, "now", text);
    }
    if (roof && roof->threads && p->limit != GRAPH_NONE)
        draw_cpu_roof(shown, c, r, row, p, roof);
    else if (roof)
        draw_roof(shown, c, r, row, p, roof);
    else
        draw_wrapped_detail(c, r, row, "roof", roofline_why_no_roof(shown->r));
}

/* --- a point of a GPU's counters --- */

static bool no_work(const struct ceiling *ceiling, const struct roof_work *w)
{
    return !ceiling->memory && !(w->ops_s[ceiling->unit][ceiling->type] > 0);
}

/* Draws "MFMA f16   1.02 PFLOP/s   78 % ######   of 1.31 PFLOP/s". */
static void draw_ceiling(struct canvas *c, struct rect r, int y, const struct ceiling *k,
                         const struct roof_work *w, bool binds)
{
    char text[TABLE_CELL_MAX], peak[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];
    enum unit unit = k->memory ? UNIT_BYTES_PER_S : UNIT_FLOP_PER_S;
    double use = roofline_use(k, w);
    struct style st = STYLE(isnan(use) ? STYLE_DIM : STYLE_TEXT);
    int x = r.x, end = r.x + r.w;
    if (binds)
        st = (struct style){.role = STYLE_HOT, .bold = 1};
    canvas_text(c, x, y, NAME_W - 1, k->name, st);
    x += NAME_W;
    if (isnan(use)) {
        canvas_text(c, x, y, end - x, "n/a: counters are missing", STYLE(STYLE_DIM));
        return;
    }
    canvas_text_right(c, x, y, RATE_W - 1, roofline_number(use * k->peak, unit, c->ascii, rate),
                      st);
    x += RATE_W;
    snprintf(text, sizeof text, "%3.0f %%", 100 * use);
    canvas_text(c, x, y, 6, text, st);
    table_bar(use < 1 ? 100 * use : 100, BAR_W, text);
    canvas_text(c, x + 7, y, BAR_W, text, st);
    x += 8 + BAR_W;
    if (k->memory && w->derived >> k->level & 1)
        snprintf(text, sizeof text, "of %s, by FETCH_SIZE",
                 roofline_number(k->peak, unit, c->ascii, peak));
    else if (k->memory && !isnan(w->intensity[k->level]))
        snprintf(text, sizeof text,
                 w->intensity[k->level] >= 999.5 ? "of %s, %.0f FLOP/B" : "of %s, %.3g FLOP/B",
                 roofline_number(k->peak, unit, c->ascii, peak), w->intensity[k->level]);
    else
        snprintf(text, sizeof text, "of %s", roofline_number(k->peak, unit, c->ascii, peak));
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", binds ? ", binds" : "");
    canvas_text(c, x, y, end - x, text, STYLE(binds ? STYLE_HOT : STYLE_DIM));
}

/*
 * Draws the ceilings of the units that did something, in the order of their work. Returns the next
 * row.
 */
static int draw_ceilings(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                         int row, const struct roof_point *p)
{
    const struct roof *roof = roofline_roof(shown, p);
    for (uint32_t i = 0; roof && i < roof->nceilings && row < r.h; i++)
        if (!roof->ceilings[i].extra && !no_work(&roof->ceilings[i], p->work))
            draw_ceiling(c, r, r.y + row++, &roof->ceilings[i], p->work, i == p->work->limit);
    return row;
}

/* Draws what was counted, for a GPU without a known roof. Returns the next row. */
static int draw_counted_rates(struct canvas *c, struct rect r, int row, const struct roof_work *w)
{
    char text[96], a[VALUE_TEXT_MAX];
    for (int i = 0; i < WORK_UNITS * WORK_TYPES && row < r.h; i++) {
        double rate = w->ops_s[i / WORK_TYPES][i % WORK_TYPES];
        if (!(rate > 0))
            continue;
        snprintf(text, sizeof text, "%s %s  %s", work_unit_name((enum work_unit)(i / WORK_TYPES)),
                 work_type_name((enum work_type)(i % WORK_TYPES)),
                 roofline_number(rate, UNIT_FLOP_PER_S, c->ascii, a));
        canvas_text(c, r.x, r.y + row++, r.w, text, STYLE(STYLE_TEXT));
    }
    for (int l = 0; l < WORK_LEVELS && row < r.h; l++) {
        if (isnan(w->bytes_s[l]))
            continue;
        snprintf(text, sizeof text, "%s  %s", work_level_name((enum work_level)l),
                 roofline_number(w->bytes_s[l], UNIT_BYTES_PER_S, c->ascii, a));
        canvas_text(c, r.x, r.y + row++, r.w, text, STYLE(STYLE_TEXT));
    }
    return row;
}

/* Draws as many missing counters as fit into a few rows. Returns the next row. */
static int draw_missing(struct canvas *c, struct rect r, int row, const struct roof_work *w)
{
    char text[256];
    int room = r.w - LABEL_W, last = row + MISSING_ROWS - 1;
    size_t n = (size_t)snprintf(text, sizeof text, "%u counter%s:", w->nmissing,
                                w->nmissing == 1 ? "" : "s");
    const char *label = "missing";
    for (uint32_t i = 0; i < w->nnamed; i++) {
        bool ends = i + 1 == w->nmissing;
        if ((int)(n + 2 + strlen(w->missing[i])) + (row == last && !ends ? 4 : 0) > room ||
            n + strlen(w->missing[i]) + 8 > sizeof text) {
            if (row == last)
                snprintf(text + n, sizeof text - n, " ...");
            draw_point_detail(c, r, row++, label, text);
            if (row > last)
                return row;
            label = "";
            n = 0;
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", n ? " " : "", w->missing[i],
                              ends ? "" : ",");
    }
    draw_point_detail(c, r, row++, label, text);
    return row;
}

static int draw_dispatches(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                           int row, const struct roof_point *p)
{
    struct roof_point one;
    struct roof_work w;
    char text[160], time[VALUE_TEXT_MAX], flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX];
    for (uint32_t i = 0; row < r.h && i < p->work->counted; i++) {
        bool more = row == r.h - 1 && i + 1 < p->work->counted;
        if (!roofline_gpu_dispatch(&one, &w, shown->r, shown->t, p, i))
            return row;
        if (more) {
            snprintf(text, sizeof text, "and %u more: rooftop report roofline --per dispatch",
                     p->work->counted - i);
        } else {
            char reached[16] = "n/a";
            if (!isnan(one.distance))
                snprintf(reached, sizeof reached, "%.0f %%", 100 * (1 - one.distance));
            snprintf(text, sizeof text, "#%" PRIu64 "  %s  %s  %s  %s of %s",
                     trace_dispatch_at(shown->t, w.dispatch).id,
                     roofline_number((double)one.total / 1e9, UNIT_SECONDS, c->ascii, time),
                     roofline_number(one.flops, UNIT_FLOP_PER_S, c->ascii, flops),
                     roofline_number(one.bytes, UNIT_BYTES_PER_S, c->ascii, bytes), reached,
                     roofline_bound_name(shown->r, &one));
        }
        draw_point_detail(c, r, row++, i == 0 ? "dispatch" : "", text);
    }
    return row;
}

static void draw_counter_details(const struct roofline_shown *shown, struct canvas *c,
                                 struct rect r, const struct roof_point *p)
{
    char text[400], a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    const struct roof_work *w = p->work;
    int row = 1;
    snprintf(text, sizeof text, "%u dispatch%s, %u with counters%s, %s", w->dispatches,
             w->dispatches == 1 ? "" : "es", w->counted,
             w->mixed ? " (not all the same ones: rates are put together)" : "",
             roofline_number((double)p->total / 1e9, UNIT_SECONDS, c->ascii, a));
    draw_point_detail(c, r, row++, "what", text);
    if (!roofline_roof(shown, p))
        draw_point_detail(c, r, row++, "roof",
                          "the peaks of this GPU are not known: --roofs FILE gives "
                          "them");
    else if (p->bound > 0) {
        snprintf(text, sizeof text, "%s of %s, %s bound; ",
                 roofline_number(p->flops, UNIT_FLOP_PER_S, c->ascii, a),
                 roofline_number(p->bound, UNIT_FLOP_PER_S, c->ascii, b),
                 roofline_bound_name(shown->r, p));
        size_t n = strlen(text);
        tell_distance(shown, p, text + n, sizeof text - n);
        row = draw_wrapped_detail(c, r, row, "reached", text);
    } else {
        draw_point_detail(c, r, row++, "reached",
                          "no operations were counted: it is not in the plot");
    }
    row = roofline_roof(shown, p) ? draw_ceilings(shown, c, r, row, p)
                                  : draw_counted_rates(c, r, row, w);
    if (w->nmissing)
        row = draw_missing(c, r, row, w);
    if (shown->t)
        draw_dispatches(shown, c, r, row, p);
}

int roofline_detail_rows(const struct roofline_shown *shown)
{
    bool more = false; /* there is more to explain */
    for (size_t i = 0; i < shown->n && !more; i++)
        more = roofline_above(shown->point[i]) || shown->point[i]->over;
    bool ceilings = shown->r->nroofs && shown->r->roofs[0].threads;
    int rows = ceilings ? DETAIL_ROWS + CEILING_ROWS : DETAIL_ROWS;
    if (shown->counters)
        rows = COUNTER_ROWS;
    return more ? rows + MORE_ROWS : rows;
}

void roofline_detail(struct canvas *c, struct rect r, const struct view_state *st)
{
    const struct roofline_shown *shown = st->own;
    if (st->selected < 0 || (size_t)st->selected >= shown->n)
        return;
    const struct roof_point *p = shown->point[st->selected];
    canvas_text(c, r.x, r.y, r.w, p->name, STYLE(STYLE_TITLE));
    if (p->work)
        draw_counter_details(shown, c, r, p);
    else
        draw_declared(shown, c, r, p);
}
