#include <math.h>
#include <string.h>

#include "engine/statistics/ranks.h"
#include "export/bench/history_export.h"
#include "tui/views/history/history.h"

enum { LABEL = 11, WIDEST = 4 /* cells from mark to mark */, MOST_IN_MARK = 64 };

double history_point_value(const void *series, size_t i)
{
    const struct history_series *s = series;
    return s->points[i].value;
}

struct part { /* the part of the values that fits */
    size_t from, to;
    size_t many; /* values for a mark; it is the median of the last of them */
    int step;    /* cells from mark to mark */
    double low, high;
};

/* The value of the mark that begins with value i. */
static double mark_value(const struct history_plot *p, const struct part *v, size_t i)
{
    double some[MOST_IN_MARK];
    size_t n = v->to - i < v->many ? v->to - i : v->many;
    if (n > MOST_IN_MARK) {
        i += n - MOST_IN_MARK;
        n = MOST_IN_MARK;
    }
    for (size_t k = 0; k < n; k++)
        some[k] = p->value(p->ctx, i + k);
    return median_of(some, n);
}

static struct part find_plotted_part(const struct history_plot *p, int cells)
{
    size_t room = cells > 0 ? (size_t)cells : 1;
    struct part v = {.to = p->n, .many = 1, .step = 1, .low = INFINITY, .high = -INFINITY};
    if (p->n > room && p->selected == SIZE_MAX) {
        v.many = (p->n + room - 1) / room;
    } else if (p->n > room) {
        v.from = p->n - room;
        if (p->selected < v.from)
            v.from = p->selected > room / 2 ? p->selected - room / 2 : 0;
        v.to = v.from + room;
    } else if (p->n > 0) {
        v.step = (int)(room / p->n);
        v.step = v.step > WIDEST ? WIDEST : v.step;
    }
    for (size_t i = v.from; i < v.to; i += v.many) {
        double value = mark_value(p, &v, i);
        v.low = fmin(v.low, value);
        v.high = fmax(v.high, value);
    }
    return v;
}

/* Draws a line at each change, with its number below. */
static void draw_change_lines(struct canvas *c, struct rect r, const struct history_plot *p,
                              const struct part *v)
{
    for (size_t k = 0; p->changes && k < p->s->nchanges; k++) {
        size_t at = p->s->changes[k].at;
        if (at < v->from || at >= v->to)
            continue;
        int x = r.x + (int)((at - v->from) / v->many) * v->step;
        canvas_fill(c, (struct rect){x, r.y, 1, r.h - 1}, c->ascii ? '|' : 0x2502,
                    STYLE(STYLE_DIV));
        canvas_printf(c, x, r.y + r.h - 1, r.x + r.w - x, STYLE(STYLE_HOT), "%zu", k + 1);
    }
}

/* Draws a value at the left of the graph, without its unit if that does not fit. */
static void draw_history_label(struct canvas *c, int x, int y, const struct history_series *s,
                               double v)
{
    char text[48];
    history_value(s, v, c->ascii, text);
    if (strlen(text) >= LABEL)
        text[strcspn(text, " ")] = '\0';
    canvas_text_right(c, x, y, LABEL - 1, text, STYLE(STYLE_GRAPH_TEXT));
}

void history_plot_draw(struct canvas *c, struct rect r, const struct history_plot *p)
{
    struct rect plot = {r.x + LABEL, r.y, r.w - LABEL, r.h};
    struct part v = find_plotted_part(p, plot.w);
    int height = r.h - 1;
    if (p->n == 0 || height < 1 || plot.w < 1)
        return;
    draw_history_label(c, r.x, r.y, p->s, v.high);
    if (height > 1)
        draw_history_label(c, r.x, r.y + height - 1, p->s, v.low);
    draw_change_lines(c, plot, p, &v);
    for (size_t i = v.from; i < v.to; i += v.many) {
        double share = v.high > v.low ? (mark_value(p, &v, i) - v.low) / (v.high - v.low) : 0.5;
        int x = plot.x + (int)((i - v.from) / v.many) * v.step;
        int y = r.y + height - 1 - (int)(share * (height - 1) + 0.5);
        bool selected = i == p->selected, marked = i == p->marked;
        uint32_t mark = c->ascii ? '*' : 0x2022;
        if (selected)
            mark = 0x25cf;
        else if (marked)
            mark = 0x25c6;
        canvas_put(c, x, y, mark, STYLE(selected || marked ? STYLE_HOT : STYLE_TEXT));
        if (selected || marked)
            canvas_put(c, x, r.y + r.h - 1, selected ? '^' : 0x25c6, STYLE(STYLE_HOT));
    }
}
