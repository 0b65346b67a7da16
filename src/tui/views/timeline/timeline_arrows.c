/*
 * Arrows of the selected span: from what launched it or what it waited for, and to what it launched
 * or what waited for it. An arrow stands in the column of the time at which it arrives.
 */
#include "tui/views/timeline/timeline.h"

enum { ARROWS = 6 }; /* of each direction */

struct arrows_picture {
    struct canvas *c;
    struct rect r; /* of the cells */
    const struct timeline *t;
    const struct timeline_lines *l;
    struct timeline_window w;
    int scroll;
};

/* The line of a span in the picture: less than 0 above it, r.h or more below it. INT32_MIN: it is
 * in a folded lane or group. */
static int find_arrow_line(const struct arrows_picture *p, uint32_t v)
{
    const uint32_t row = p->t->row_of[v];
    for (uint32_t i = 0; i < p->l->n; i++)
        if (p->l->lines[i].lane != GRAPH_NONE && p->l->lines[i].row == row)
            return (int)i - p->scroll;
    return INT32_MIN;
}

static int find_arrow_column(const struct arrows_picture *p, uint64_t time)
{
    const double share = (double)(time - p->w.from) / (double)(p->w.to - p->w.from);
    const int x = (int)(share * p->r.w);
    return x < p->r.w ? x : p->r.w - 1;
}

static void draw_arrow(const struct arrows_picture *p, const struct timeline_arrow *a)
{
    const int from = find_arrow_line(p, a->from), to = find_arrow_line(p, a->to),
              step = from < to ? 1 : -1;
    if (from == to || from == INT32_MIN || to == INT32_MIN || a->arrives < p->w.from ||
        a->arrives > p->w.to)
        return;
    const int x = p->r.x + find_arrow_column(p, a->arrives);
    for (int y = from + step; y != to; y += step)
        if (y >= 0 && y < p->r.h)
            canvas_put(p->c, x, p->r.y + y, 0x2502, STYLE(STYLE_HOT));
    if (to >= 0 && to < p->r.h)
        canvas_put(p->c, x, p->r.y + to, step > 0 ? 0x25bc : 0x25b2, STYLE(STYLE_HOT));
}

void timeline_draw_arrows(struct canvas *c, struct rect cells, const struct timeline *t,
                          const struct view_state *st, const struct timeline_lines *l)
{
    const uint32_t v = timeline_selected(t, st);
    const struct arrows_picture p = {c, cells, t, l, timeline_window_of(t, st), st->scroll};
    struct timeline_arrow arrows[ARROWS];
    for (int out = 0; v != GRAPH_NONE && out < 2; out++) {
        const uint32_t n = timeline_arrows(t, v, out, arrows, ARROWS);
        for (uint32_t i = 0; i < n; i++)
            draw_arrow(&p, &arrows[i]);
    }
}
