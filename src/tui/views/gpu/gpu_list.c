#include <stdio.h>
#include <string.h>

#include "tui/views/gpu/gpu.h"
#include "tui/widgets/area.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/wrap.h"

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

static void draw_gpu_row(struct canvas *c, struct rect r, const struct model *m, int i,
                         bool selected)
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

void gpu_list(struct canvas *c, struct rect r, const struct model *m, const struct view_state *st)
{
    const struct gpus *g = m->snap->gpus;
    int selected = st ? gpu_selected(g, st) : -1, n = (int)g->n;
    int first = selected >= r.h ? selected - r.h + 1 : 0;
    for (int i = 0; i < r.h && first + i < n; i++) {
        struct rect line = {r.x, r.y + i, r.w, 1};
        draw_gpu_row(c, line, m, first + i, first + i == selected);
        if (st)
            canvas_zone(c, line, ACTION_POINT_GPU, first + i);
    }
}

/* --- no GPU was found --- */

static const char *state_glyph(int state)
{
    switch (state) {
    case GPU_SOURCE_OK:
        return "✓";
    case GPU_SOURCE_WAITING:
        return "…";
    case GPU_SOURCE_BROKEN:
        return "!";
    default:
        return "·";
    }
}

void gpu_none(struct canvas *c, struct rect r, const struct gpus *g)
{
    static const char *const what[][2] = {{"amdgpu", "AMD: the kernel's driver, without root"},
                                          {"nvidia", "NVIDIA: the driver's library NVML"},
                                          {"hsa", "AMD: the HSA runtime"}};
    int w = r.w < 92 ? r.w - 4 : 88, x = r.x + (r.w - w) / 2, y = r.y + (r.h > 22 ? r.h / 6 : 1);
    bool waiting = false;
    for (size_t i = 0; i < g->nsources; i++)
        waiting |= g->sources[i].state == GPU_SOURCE_WAITING;
    canvas_text(c, x, y, w, waiting ? "The drivers are being asked…" : "No GPU was found here.",
                STYLE(STYLE_TITLE));
    y += 2;
    for (size_t i = 0; i < g->nsources && y < r.y + r.h - 2; i++) {
        const struct gpu_source *s = &g->sources[i];
        const char *title = s->name;
        for (size_t k = 0; k < sizeof what / sizeof *what; k++)
            title = strcmp(what[k][0], s->name) == 0 ? what[k][1] : title;
        canvas_text(c, x, y, 1, state_glyph(s->state),
                    STYLE(s->state == GPU_SOURCE_BROKEN ? STYLE_WARN : STYLE_DIM));
        canvas_text(c, x + 2, y++, w - 2, title, STYLE(STYLE_HEADING));
        y += wrap_draw(c, (struct rect){x + 2, y, w - 2, 2}, s->text, STYLE(STYLE_TEXT));
        if (s->help[0])
            y += wrap_draw(c, (struct rect){x + 2, y, w - 2, 2}, s->help, STYLE(STYLE_DIM));
        y++;
    }
    if (y < r.y + r.h)
        canvas_text(c, x, y, w, "rooftop doctor tells the same for scripts.", STYLE(STYLE_DIM));
}
