#include "tui/widgets/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { LABEL_W = 6, LEAST_W = 20, LEAST_H = 5 };

void plot_number(double v, char out[16])
{
    static const struct {
        double at;
        const char *letter;
    } prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (v >= prefixes[i].at * 0.999) {
            snprintf(out, 16, "%g%s", v / prefixes[i].at, prefixes[i].letter);
            return;
        }
    snprintf(out, 16, "%g", v);
}

static double log_share(double v, double low, double high)
{
    return (log10(v) - log10(low)) / (log10(high) - log10(low));
}

/* The k-th mark of an axis from 10^first on: each decade, or 1, 2 and 5 of each. */
static double axis_mark(const struct plot *p, int first, int k)
{
    static const int fine[] = {1, 2, 5};
    int decade = first + (p->fine ? k / 3 : k);
    return (p->fine ? fine[k % 3] : 1) * pow(10, decade);
}

static int count_marks(const struct plot *p, double low, double high)
{
    int decades = (int)floor(log10(high)) - (int)floor(log10(low)) + 1;
    return p->fine ? 3 * decades : decades;
}

static void draw_y_axis(struct plot *p, struct canvas *c)
{
    int last = -2, first = (int)floor(log10(p->y0));
    canvas_fill(c, (struct rect){p->area.x - 1, p->area.y, 1, p->area.h}, 0x2502, STYLE(STYLE_DIV));
    for (int k = count_marks(p, p->y0, p->y1); k-- > 0;) {
        double d = axis_mark(p, first, k);
        char label[16];
        int y = p->area.y + (int)((1 - log_share(d, p->y0, p->y1)) * (p->area.h - 1) + 0.5);
        if (d < p->y0 * 0.999 || y < p->area.y || y >= p->area.y + p->area.h || y == last ||
            y == last + 1)
            continue;
        plot_number(d, label);
        canvas_text_right(c, p->r.x, y, LABEL_W - 1, label, STYLE(STYLE_DIM));
        canvas_put(c, p->area.x - 1, y, 0x2524, STYLE(STYLE_DIV));
        last = y;
    }
}

static void draw_x_axis(struct plot *p, struct canvas *c)
{
    int y = p->area.y + p->area.h, free_from = p->area.x, first = (int)floor(log10(p->x0));
    canvas_fill(c, (struct rect){p->area.x, y, p->area.w, 1}, 0x2500, STYLE(STYLE_DIV));
    canvas_put(c, p->area.x - 1, y, 0x2514, STYLE(STYLE_DIV));
    for (int k = 0; k < count_marks(p, p->x0, p->x1); k++) {
        double d = axis_mark(p, first, k);
        char label[16];
        int x = p->area.x + (int)(log_share(d, p->x0, p->x1) * (p->area.w - 1) + 0.5);
        plot_number(d, label);
        int w = (int)strlen(label), at = x - w / 2;
        if (d < p->x0 * 0.999 || x < p->area.x || x >= p->area.x + p->area.w)
            continue;
        canvas_put(c, x, y, 0x252c, STYLE(STYLE_DIV));
        if (at < free_from || at + w > p->area.x + p->area.w)
            continue;
        canvas_text(c, at, y + 1, w, label, STYLE(STYLE_DIM));
        free_from = at + w + 1;
    }
}

bool plot_begin(struct plot *p, struct canvas *c, struct rect r)
{
    p->r = r;
    p->area = (struct rect){r.x + LABEL_W, r.y + 1, r.w - LABEL_W, r.h - 3};
    p->dots = p->owner = NULL;
    if (p->area.w < LEAST_W || p->area.h < LEAST_H || !(p->x0 > 0) || !(p->y0 > 0) ||
        !(p->x1 > p->x0) || !(p->y1 > p->y0))
        return false;
    size_t n = (size_t)p->area.w * (size_t)p->area.h;
    p->dots = xcalloc(n, 1);
    p->owner = xcalloc(n, 1);
    canvas_text(c, r.x, r.y, r.w / 2, p->y_title, STYLE(STYLE_DIM));
    draw_y_axis(p, c);
    draw_x_axis(p, c);
    int w = text_width(p->x_title);
    if (w < r.w / 2)
        canvas_text_right(c, r.x + r.w - w, r.y, w, p->x_title, STYLE(STYLE_DIM));
    return true;
}

/* The bit of a dot in a braille cell: two columns, four rows, U+2800 + bits. */
static uint8_t dot_bit(int column, int row)
{
    static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    return bits[column][row];
}

static void set_dot(struct plot *p, int dx, int dy, int line)
{
    if (dx < 0 || dy < 0 || dx >= 2 * p->area.w || dy >= 4 * p->area.h)
        return;
    size_t at = (size_t)(dy / 4) * (size_t)p->area.w + (size_t)(dx / 2);
    p->dots[at] |= dot_bit(dx % 2, dy % 4);
    p->owner[at] = (uint8_t)(line + 1);
}

void plot_line(struct plot *p, int line, double (*y)(const void *ctx, double x), const void *ctx,
               bool dashed)
{
    int w = 2 * p->area.w, h = 4 * p->area.h, before = -1;
    for (int dx = 0; dx < w; dx++) {
        double x = pow(10, log10(p->x0) + (log10(p->x1) - log10(p->x0)) * (dx + 0.5) / w);
        double v = y(ctx, x);
        if (!(v > 0)) {
            before = -1;
            continue;
        }
        int dy = (int)floor((1 - log_share(v, p->y0, p->y1)) * h);
        if (!dashed || dx % 6 < 3) {
            set_dot(p, dx, dy, line);
            /* a steep line: fill the rows between two columns */
            for (int k = dy + 1; before >= 0 && k < before && k < h; k++)
                set_dot(p, dx, k, line);
        }
        before = dy;
    }
}

void plot_end(struct plot *p, struct canvas *c, struct style (*style)(const void *ctx, int line),
              const void *ctx)
{
    for (int y = 0; y < p->area.h; y++)
        for (int x = 0; x < p->area.w; x++) {
            size_t at = (size_t)y * (size_t)p->area.w + (size_t)x;
            if (p->dots[at])
                canvas_put(c, p->area.x + x, p->area.y + y, 0x2800u + p->dots[at],
                           style(ctx, p->owner[at] - 1));
        }
    free(p->dots);
    free(p->owner);
    p->dots = p->owner = NULL;
}

bool plot_cell(const struct plot *p, double x, double y, int *cx, int *cy)
{
    if (!(x > 0) || !(y > 0))
        return false;
    double u = log_share(x, p->x0, p->x1), v = log_share(y, p->y0, p->y1);
    *cx = p->area.x + (int)floor(u * p->area.w);
    *cy = p->area.y + (int)floor((1 - v) * p->area.h);
    return u >= 0 && u < 1 && v > 0 && v <= 1;
}

bool plot_act(enum action a, struct view_state *st, unsigned zoom_max)
{
    switch (a) {
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return true;
    case ACTION_PLOT_ZOOM_IN:
        st->zoom += st->zoom < zoom_max;
        return true;
    case ACTION_PLOT_ZOOM_OUT:
        st->zoom -= st->zoom > 0;
        return true;
    case ACTION_ZOOM_OUT:
        st->zoom = 0;
        return true;
    default:
        return false;
    }
}
