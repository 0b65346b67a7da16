#include "tui/widgets/gpu_row.h"

#include <stdio.h>

#include "tui/widgets/area.h"
#include "tui/widgets/meter.h"

struct value gpu_temperature(const struct gpu_now *n)
{
    const struct value *all[] = {&n->temp_junction, &n->temp_edge, &n->temp_soc};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->validity == VALUE_OK)
            return *all[i];
    return n->temp_edge;
}

struct value gpu_memory_share(const struct gpu *g, const struct gpu_now *n)
{
    if (n->mem_used.validity != VALUE_OK)
        return n->mem_used;
    if (g->mem_total.validity != VALUE_OK || g->mem_total.v <= 0)
        return value_missing("its size is not known", UNIT_PERCENT);
    return value_ok(100 * n->mem_used.v / g->mem_total.v, UNIT_PERCENT);
}

/* Draws a bar and a number. Returns the cells used. */
static int draw_gpu_share(struct canvas *c, int x, int y, int bar, const char *label,
                          const struct value *v, enum style_role role)
{
    char text[VALUE_TEXT_MAX];
    canvas_text(c, x, y, 4, label, STYLE(STYLE_DIM));
    meter_draw(c, x + 4, y, bar, v, role);
    if (v->validity == VALUE_OK)
        snprintf(text, sizeof text, "%.0f %%", v->v);
    else
        value_format(v, c->ascii, text);
    canvas_text_right(c, x + 4 + bar, y, 6, text, STYLE(STYLE_TEXT));
    return 4 + bar + 6 + 2;
}

static int draw_number(struct canvas *c, int x, int y, int w, const struct value *v)
{
    char text[VALUE_TEXT_MAX];
    canvas_text_right(c, x, y, w, value_format(v, c->ascii, text),
                      STYLE(v->validity == VALUE_OK ? STYLE_TEXT : STYLE_DIM));
    return w + 1;
}

static void draw_busy_sparkline(struct canvas *c, int x, int y, int w, const struct model *m,
                                const char *id)
{
    float v[LIVE_SERIES_LEN];
    char name[96];
    size_t n = w > LIVE_SERIES_LEN ? LIVE_SERIES_LEN : (size_t)w;
    if (!m->series || w < 8)
        return;
    snprintf(name, sizeof name, "g:%.64s/busy", id);
    live_series_get(m->series, name, v, n);
    sparkline_draw(c, x, y, w, v, n, 100, STYLE_GRAD_CPU);
}

void gpu_row_draw(struct canvas *c, struct rect r, const struct model *m, int i, bool selected)
{
    const struct gpu *g = &m->snap->gpus->gpu[i];
    const struct gpu_now *n = &m->snap->gpus->now[i];
    struct value mem = gpu_memory_share(g, n), temp = gpu_temperature(n);
    int x = r.x, end = r.x + r.w, bar = r.w >= 100 ? 8 : 5;
    if (r.w >= 150)
        bar = 16;
    int fixed = 2 * (12 + bar) + 3 * 9, name = r.w - fixed - 4;
    if (name > 30)
        name = 30;
    else if (name < 6)
        name = 6;
    canvas_printf(c, x, r.y, 3, STYLE(STYLE_DIM), "%d", i);
    canvas_text(c, x + 3, r.y, name, g->name[0] ? g->name : g->id,
                STYLE(selected ? STYLE_TITLE : STYLE_TEXT));
    if (selected)
        canvas_restyle(c, (struct rect){x, r.y, name + 3, 1}, STYLE(STYLE_SELECTED));
    x += name + 4;
    x += draw_gpu_share(c, x, r.y, bar, "gfx", &n->gfx_busy, STYLE_GRAD_CPU);
    if (x + 12 + bar < end)
        x += draw_gpu_share(c, x, r.y, bar, "mem", &mem, STYLE_GRAD_USED);
    if (x + 9 < end)
        x += draw_number(c, x, r.y, 8, &n->power);
    if (x + 9 < end)
        x += draw_number(c, x, r.y, 8, &temp);
    if (x + 9 < end)
        x += draw_number(c, x, r.y, 8, &n->gfx_hz);
    draw_busy_sparkline(c, x + 1, r.y, end - x - 1, m, g->id);
}
