/* The box of instrumented programs: a summary of what they do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/bricks/brick_report.h"
#include "engine/bricks/bricks.h"
#include "tui/views/overview/overview.h"
#include "tui/widgets/meter.h"

static const struct brick_report *find_box_report(struct overview_bricks *made,
                                                  const struct graph *g)
{
    if (made->serial != g->serial) {
        arena_reset(&made->memory);
        brick_report_make(&made->report, &made->memory, g, false);
        made->serial = g->serial;
    }
    return &made->report;
}

/* The share of its roof that a brick reaches, over all backends; NaN if it is unknown. */
static double find_reached_roof(const struct roofline *r, const char *name)
{
    for (uint32_t i = 0; i < r->npoints; i++) /* the point with the most time */
        if (strcmp(r->points[i].name, name) == 0 && !isnan(r->points[i].distance))
            return 100 * (1 - r->points[i].distance);
    return NAN;
}

static void draw_brick(struct canvas *c, struct rect r, const struct bricks *b,
                       const struct brick_row *row, uint64_t total)
{
    char number[VALUE_TEXT_MAX], roof[16] = "";
    double share = total ? 100.0 * (double)row->own / (double)total : 0;
    double of_roof = find_reached_roof(&b->roofline, row->name);
    int name = r.w >= 50 ? 18 : r.w / 3, bar = r.w - name - 10 - 8 - 10;
    struct value v = value_ok(share, UNIT_PERCENT);
    canvas_printf(c, r.x, r.y, name - 1, STYLE(STYLE_TEXT), "%s%s", row->over_budget ? "!" : "",
                  row->name);
    canvas_text_right(c, r.x + name, r.y, 9, value_time(row->mean, c->ascii, number),
                      STYLE(row->over_budget ? STYLE_CRIT : STYLE_DIM));
    canvas_text_right(c, r.x + name + 9, r.y, 8, value_format(&v, c->ascii, number),
                      STYLE(STYLE_TITLE));
    if (bar > 3)
        meter_draw(c, r.x + name + 18, r.y, bar, &v, STYLE_GRAD_PROC);
    if (!isnan(of_roof))
        snprintf(roof, sizeof roof, "%.0f %%%sroof", of_roof, of_roof >= 100.5 ? "!" : " ");
    canvas_text_right(c, r.x + r.w - 10, r.y, 10, roof, STYLE(STYLE_DIM));
}

static void draw_bricks_head(struct canvas *c, struct rect r, const struct bricks *b)
{
    const struct brick_window *w = &b->window;
    char wall[VALUE_TEXT_MAX];
    double tokens = 0;
    for (uint32_t i = 0; i < b->nprograms; i++)
        tokens += b->programs[i].tokens_per_s;
    int x = r.x, end = r.x + r.w;
    if (w->nspans) {
        x += canvas_text(c, x, r.y, end - x, w->what, STYLE(STYLE_TITLE));
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " %s · path %.0f %% · ",
                           value_time((double)w->wall, c->ascii, wall),
                           w->wall ? 100.0 * (double)w->path / (double)w->wall : 0);
    }
    if (tokens > 0)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), "%.1f tokens/s", tokens);
    else
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), "%u program%s", b->nprograms,
                      b->nprograms == 1 ? "" : "s");
}

void overview_bricks(struct overview_bricks *made, struct canvas *c, struct rect r,
                     const struct snapshot *s)
{
    if (r.h < 3 || r.w < 20)
        return;
    overview_box(c, r, STYLE_BOX_NET, BOX_BRICKS, "bricks",
                 r.w > 50 ? "3 tree  4 path  5 roofline" : NULL);
    struct rect in = {r.x + 2, r.y + 1, r.w - 4, r.h - 2};
    if (!s || !s->bricks) {
        canvas_text(c, in.x, in.y, in.w, "no instrumented program was found yet: 3 tells more",
                    STYLE(STYLE_DIM));
        return;
    }
    const struct brick_report *b = find_box_report(made, s->bricks->tree);
    draw_bricks_head(c, in, s->bricks);
    for (uint32_t i = 0; i < b->nrows && (int)i < in.h - 1 && b->rows[i].kind == NODE_BRICK; i++)
        draw_brick(c, (struct rect){in.x, in.y + 1 + (int)i, in.w, 1}, s->bricks, &b->rows[i],
                   b->total);
}
