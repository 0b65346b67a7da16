#include <string.h>

#include "tui/views/gpu/gpu.h"
#include "tui/widgets/gpu_row.h"
#include "tui/widgets/wrap.h"

void gpu_list(struct canvas *c, struct rect r, const struct model *m, const struct view_state *st)
{
    const struct gpus *g = m->snap->gpus;
    int selected = gpu_selected(g, st), n = (int)g->n;
    int first = selected >= r.h ? selected - r.h + 1 : 0;
    for (int i = 0; i < r.h && first + i < n; i++) {
        struct rect line = {r.x, r.y + i, r.w, 1};
        gpu_row_draw(c, line, m, first + i, first + i == selected);
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
    int w = r.w < 92 ? r.w - 4 : 88;
    int x = r.x + (r.w - w) / 2;
    int y = r.y + (r.h > 22 ? r.h / 6 : 1);
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
