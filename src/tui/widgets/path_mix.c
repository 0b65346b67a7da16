#include "tui/widgets/path_mix.h"

#include "base/text.h"

/* The parts differ in shade and colour, because neither alone distinguishes all of them. */
static const uint32_t shade[PATH_PARTS] = {0x2588, 0x2593, 0x259a, 0x2592, 0x2591, 0x2504, 0x00b7};
static const char ascii_shade[PATH_PARTS] = {'#', '=', 'x', '+', '-', '~', '.'};

struct style path_mix_style(int part)
{
    const struct style styles[PATH_PARTS] = {
        STYLE(STYLE_COMPUTE), STYLE(STYLE_COPY), STYLE(STYLE_COMMUNICATION),
        STYLE(STYLE_HOST),    STYLE(STYLE_HOST), STYLE(STYLE_DIM),
        STYLE(STYLE_DIM)};
    return styles[part];
}

uint32_t path_mix_glyph(const struct canvas *c, int part)
{
    return c->ascii ? (uint32_t)ascii_shade[part] : shade[part];
}

void path_mix_draw(struct canvas *c, struct rect r, const struct path_mix *m)
{
    uint64_t sum = 0;
    int done = 0;
    for (int i = 0; i < PATH_PARTS; i++) {
        sum += m->share[i];
        const int to = (int)(sum * (uint64_t)r.w / PATH_WHOLE);
        if (to <= done)
            continue;
        canvas_fill(c, (struct rect){r.x + done, r.y, to - done, 1}, path_mix_glyph(c, i),
                    path_mix_style(i));
        done = to;
    }
}

void path_mix_legend(struct canvas *c, int x, int y, int w)
{
    int at = x, need = 0;
    for (int i = 0; i < PATH_PARTS; i++)
        need += 4 + text_width(path_part_name((enum path_part)i));
    if (need > w)
        return;
    canvas_fill(c, (struct rect){x, y, need - 1, 1}, ' ', STYLE(STYLE_TEXT));
    for (int i = 0; i < PATH_PARTS; i++) {
        canvas_put(c, at, y, path_mix_glyph(c, i), path_mix_style(i));
        at += 2;
        at += 2 + canvas_text(c, at, y, w, path_part_name((enum path_part)i), STYLE(STYLE_DIM));
    }
}
