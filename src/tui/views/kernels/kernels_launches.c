/*
 * The launches of the selected kernel, in the space that its details leave: over time, by length,
 * by shape.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/value/value.h"
#include "tui/views/kernels/kernels.h"
#include "tui/widgets/table.h"

enum { LEAST_WIDTH = 40, BAR_MOST = 24, TIME_ROWS = 3 };

static const struct kernel_launches *launches_of(struct kernel_launches_kept *kept,
                                                 const struct analysis *a,
                                                 const struct kernel_row *row,
                                                 enum kernels_group group)
{
    if (kept->row != row || kept->group != group || kept->serial != a->trace.calls->serial) {
        kernel_launches_find(&kept->launches, &a->trace, &a->kernels.total, row, group);
        kept->serial = a->trace.calls->serial;
        kept->row = row;
        kept->group = group;
    }
    return &kept->launches;
}

static uint32_t launch_glyph_of(const struct canvas *c, double share)
{
    static const char ascii[] = " .:-=+*#%@";
    if (!(share > 0))
        return c->ascii ? ' ' : 0x00b7;
    int eighth = (int)(share * 7.999);
    return c->ascii ? (uint32_t)ascii[1 + eighth] : 0x2581 + (uint32_t)eighth;
}

/*
 * Draws in which parts of the time the kernel ran, as a row of heights with labels at both ends.
 * Returns the rows used.
 */
static int draw_times(struct canvas *c, struct rect r, const struct kernel_launches *l)
{
    char all[VALUE_TEXT_MAX];
    double most = 0, sum[LAUNCH_TIMES] = {0};
    int w = r.w < LAUNCH_TIMES ? r.w : LAUNCH_TIMES;
    if (r.h < TIME_ROWS || l->end <= l->begin || l->timed == 0)
        return 0;
    for (int i = 0; i < LAUNCH_TIMES; i++)
        sum[i * w / LAUNCH_TIMES] += l->busy[i];
    for (int i = 0; i < w; i++)
        most = sum[i] > most ? sum[i] : most;
    canvas_text(c, r.x, r.y, r.w, "LAUNCHES OVER TIME", STYLE(STYLE_TITLE));
    for (int i = 0; i < w && most > 0; i++)
        canvas_put(c, r.x + i, r.y + 1, launch_glyph_of(c, sum[i] / most),
                   STYLE(sum[i] > 0 ? STYLE_OK : STYLE_DIM));
    canvas_text(c, r.x, r.y + 2, w, "0", STYLE(STYLE_DIM));
    canvas_text_right(c, r.x, r.y + 2, w, value_time((double)(l->end - l->begin), c->ascii, all),
                      STYLE(STYLE_DIM));
    return TIME_ROWS;
}

static void draw_launch_bar(struct canvas *c, int x, int y, int w, double share)
{
    char text[TABLE_CELL_MAX];
    table_bar(100 * share, w, text);
    canvas_text(c, x, y, w, text, STYLE(STYLE_OK));
}

static int draw_lengths(struct canvas *c, struct rect r, const struct kernel_launches *l)
{
    enum { RANGE = 22, COUNT = 9 };
    int bar = r.w - RANGE - COUNT - 2 < BAR_MOST ? r.w - RANGE - COUNT - 2 : BAR_MOST;
    if (l->nlengths < 2 || l->timed < 2 || r.h < 1 + (int)l->nlengths || bar < 1)
        return 0;
    canvas_text(c, r.x, r.y, r.w, "LAUNCHES BY LENGTH", STYLE(STYLE_TITLE));
    for (uint32_t i = 0; i < l->nlengths; i++) {
        char from[VALUE_TEXT_MAX], to[VALUE_TEXT_MAX], text[64];
        int y = r.y + 1 + (int)i;
        snprintf(text, sizeof text, "%s to %s", value_time(l->edge[i], c->ascii, from),
                 value_time(l->edge[i + 1], c->ascii, to));
        canvas_text(c, r.x, y, RANGE, text, STYLE(STYLE_TEXT));
        canvas_printf(c, r.x + RANGE, y, COUNT, STYLE(STYLE_DIM), "%8" PRIu64, l->length[i]);
        draw_launch_bar(c, r.x + RANGE + COUNT + 1, y, bar,
                        (double)l->length[i] / (double)l->timed);
    }
    return 1 + (int)l->nlengths;
}

static int draw_shapes(struct canvas *c, struct rect r, const struct kernel_launches *l,
                       const struct kernel_row *row)
{
    char text[LAUNCH_TEXT], total[VALUE_TEXT_MAX], said[160];
    int y = r.y;
    if (l->nshapes < 2 || r.h < 2)
        return 0;
    canvas_text(c, r.x, y++, r.w, "BY GRID AND BLOCK", STYLE(STYLE_TITLE));
    for (uint32_t i = 0; i < l->nshapes && y < r.y + r.h; i++, y++) {
        const struct launch_shape *s = &l->shapes[i];
        uint32_t more = l->nshapes - i + l->more;
        if (y == r.y + r.h - 1 && more > 1) {
            snprintf(said, sizeof said, "and %" PRIu32 " more: m, by launch shape", more);
        } else {
            if (!*kernel_shape_text(&s->shape, text))
                snprintf(text, sizeof text, "not known");
            snprintf(said, sizeof said, "%-32s %8" PRIu64 " x %9s %5.1f %%", text, s->calls,
                     value_time((double)s->total, c->ascii, total),
                     row->sum.total ? 100.0 * (double)s->total / (double)row->sum.total : 0);
        }
        canvas_text(c, r.x, y, r.w, said, STYLE(STYLE_TEXT));
    }
    return y - r.y;
}

void kernels_launches_draw(struct canvas *c, struct rect r, const struct analysis *a,
                           const struct kernel_row *row, enum kernels_group group,
                           struct kernel_launches_kept *kept)
{
    if (r.h < TIME_ROWS + 1 || r.w < LEAST_WIDTH || row->sum.calls < 2)
        return;
    const struct kernel_launches *l = launches_of(kept, a, row, group);
    int (*const parts[])(struct canvas *, struct rect,
                         const struct kernel_launches *) = {draw_times, draw_lengths};
    r.y++; /* an empty row separates them */
    r.h--;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int used = parts[i](c, r, l);
        used += used > 0;
        r.y += used;
        r.h -= used;
    }
    draw_shapes(c, r, l, row);
}
