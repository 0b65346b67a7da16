#include "tui/widgets/area.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"

/* A round number that is at least v: 1, 2 or 5 times a power of ten (of two for bytes). */
static double area_ceiling(double v, enum unit unit)
{
    if (!(v > 0))
        return 1;
    if (unit == UNIT_BYTES)
        return pow(2, ceil(log2(v)));
    double p = pow(10, floor(log10(v))), m = v / p;
    if (m <= 1)
        return p;
    if (m <= 2)
        return 2 * p;
    return (m <= 5 ? 5 : 10) * p;
}

static bool is_any_sampled(const float *v, size_t n)
{
    size_t i = 0;
    while (i < n && isnan(v[i]))
        i++;
    return i < n;
}

static double find_highest_sample(const float *v, size_t n)
{
    double top = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > top)
            top = v[i];
    return top;
}

size_t area_samples(struct rect r)
{
    int w = r.w - AREA_LABEL_W;
    return w > 0 ? (size_t)w * 2 : 0;
}

/* The dots of the left and right column of a braille cell that is filled to height 0..4. */
static const uint8_t left_dots[5] = {0x00, 0x40, 0x44, 0x46, 0x47};
static const uint8_t right_dots[5] = {0x00, 0x80, 0xa0, 0xb0, 0xb8};

/* The height of a sample in dots, -1 if there is none. A measured sample has at least one dot. */
static int measure_sample_dots(const struct area *g, double top, long i, int dots)
{
    if (i < 0 || (size_t)i >= g->n || isnan(g->v[i]))
        return -1;
    return limit_int((int)lround(g->v[i] / top * dots), 1, dots);
}

enum { LEVEL_WITHOUT_LIMIT = 33 };

/* The level of the hue of a value: its share of the limit. */
static int find_hue_level(double v, double limit)
{
    return limit > 0 ? limit_int((int)lround(100 * v / limit), 0, 100) : LEVEL_WITHOUT_LIMIT;
}

static int fill_of(int h, int below)
{
    return limit_int(h - below, 0, 4);
}

static void draw_area_dots(struct canvas *c, struct rect p, const struct area *g, double top)
{
    const double limit = g->limit > 0 ? g->limit : g->max;
    long first = (long)g->n - (long)p.w * 2;
    for (int x = 0; x < p.w; x++) {
        int a = measure_sample_dots(g, top, first + x * 2, p.h * 4);
        int b = measure_sample_dots(g, top, first + x * 2 + 1, p.h * 4);
        for (int y = 0; y < p.h; y++) {
            int below = (p.h - 1 - y) * 4;
            uint8_t bits = left_dots[fill_of(a, below)] | right_dots[fill_of(b, below)];
            if (bits)
                canvas_put(
                    c, p.x + x, p.y + y, 0x2800u | bits,
                    STYLE_LEVEL(g->role, find_hue_level((below + 4) * top / (p.h * 4), limit)));
        }
    }
}

/* Leaves out the zeros of a round number: "2.50 k/s" -> "2.5 k/s", "1.00 k/s" -> "1 k/s". */
static void cut_zeros(char *text)
{
    char *dot = strchr(text, '.'), *end = dot ? dot + strspn(dot, ".0123456789") : NULL,
         *last = end;
    if (!dot)
        return;
    while (last > dot && (last[-1] == '0' || last[-1] == '.'))
        last--;
    memmove(last, end, strlen(end) + 1);
}

/* "200 GFLOP/s" does not fit: leaves "200 G", as the title of the graph has the unit. */
static void cut_unit(char *text)
{
    char *unit = strchr(text, ' ');
    if (!unit)
        return;
    const bool prefixed = unit[1] && strchr("kMGTPE", unit[1]);
    unit[prefixed ? 2 : 0] = '\0';
}

static void y_label(struct canvas *c, struct rect r, int row, double v, enum unit unit)
{
    char text[VALUE_TEXT_MAX];
    value_text(v, unit, c->ascii, text);
    cut_zeros(text);
    if (text_width(text) >= AREA_LABEL_W)
        cut_unit(text);
    canvas_text_right(c, r.x, r.y + row, AREA_LABEL_W - 1, text, STYLE(STYLE_DIM));
    canvas_put(c, r.x + AREA_LABEL_W - 1, r.y + row, 0x2524, STYLE(STYLE_DIV));
}

static void x_axis(struct canvas *c, struct rect r, double span_s, const char *end)
{
    char text[32];
    int y = r.y + r.h - 1, x0 = r.x + AREA_LABEL_W, w = r.w - AREA_LABEL_W;
    canvas_put(c, x0 - 1, y, 0x2514, STYLE(STYLE_DIV));
    canvas_fill(c, (struct rect){x0, y, w, 1}, 0x2500, STYLE(STYLE_DIV));
    if (span_s >= 600)
        snprintf(text, sizeof text, "-%.0f min", span_s / 60);
    else
        snprintf(text, sizeof text, span_s < 10 ? "-%.1f s" : "-%.0f s", span_s);
    int end_w = (int)strlen(end);
    if (w < (int)strlen(text) + end_w + 2)
        return;
    if (span_s > 0)
        canvas_text(c, x0, y, w, text, STYLE(STYLE_DIM));
    canvas_text(c, x0 + w - end_w, y, end_w, end, STYLE(STYLE_DIM));
}

void area_draw(struct canvas *c, struct rect r, const struct area *g)
{
    if (r.w <= AREA_LABEL_W || r.h < 2)
        return;
    size_t shown = area_samples(r);
    if (shown > g->n)
        shown = g->n;
    double top = g->max;
    if (!(top > 0))
        top = area_ceiling(find_highest_sample(g->v + (g->n - shown), shown), g->unit);
    int rows = r.h - 1;
    for (int y = 0; y < rows; y++)
        canvas_put(c, r.x + AREA_LABEL_W - 1, r.y + y, 0x2502, STYLE(STYLE_DIV));
    const bool sampled = is_any_sampled(g->v + (g->n - shown), shown);
    const char *end = g->end ? g->end : "now";
    if (sampled || g->max > 0) /* else the scale is nothing that was measured */
        y_label(c, r, 0, top, g->unit);
    if (rows >= 5 && (sampled || g->max > 0))
        y_label(c, r, rows / 2, top / 2, g->unit); /* this row contains the middle */
    x_axis(c, r, sampled ? g->span_s : 0, end);
    draw_area_dots(c, (struct rect){r.x + AREA_LABEL_W, r.y, r.w - AREA_LABEL_W, rows}, g, top);
}

void sparkline_draw(struct canvas *c, int x, int y, int w, const float *v, size_t n, double max,
                    enum style_role role)
{
    size_t shown = n > (size_t)w ? (size_t)w : n;
    const float *tail = v + (n - shown);
    double top = max > 0 ? max : find_highest_sample(tail, shown);
    for (size_t i = 0; i < shown; i++) {
        if (isnan(tail[i]))
            continue;
        double share = top > 0 ? tail[i] / top : 0;
        int level = limit_int((int)lround(share * 7), 0, 7);
        canvas_put(c, x + w - (int)shown + (int)i, y, 0x2581u + (unsigned)level,
                   STYLE_LEVEL(role, find_hue_level(tail[i], max)));
    }
}
