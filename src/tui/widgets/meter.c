#include "tui/widgets/meter.h"

#include <math.h>

void meter_draw(struct canvas *c, int x, int y, int w, const struct value *percent,
                enum style_role role)
{
    static const uint32_t eighths[] = {' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589};
    if (percent->validity != VALUE_OK) {
        canvas_fill(c, (struct rect){x, y, w, 1}, 0x00b7, STYLE(STYLE_METER_BG));
        return;
    }
    double share = percent->v / 100;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    int filled = (int)lround(share * w * 8);
    for (int i = 0; i < w; i++) {
        int part = filled - i * 8;
        struct style st = STYLE_LEVEL(role, (i + 1) * 100 / (w ? w : 1));
        if (part >= 8)
            canvas_put(c, x + i, y, 0x2588, st);
        else if (part > 0 && !c->ascii)
            canvas_put(c, x + i, y, eighths[part], st);
        else
            canvas_put(c, x + i, y, 0x2500, STYLE(STYLE_METER_BG));
    }
}

enum { SEGMENTS_MAX = 16 };

/* Gives the cells that rounding down left over to those that lost most. */
static void apportion(const struct segment *s, size_t n, int w, int cells[SEGMENTS_MAX])
{
    double rest[SEGMENTS_MAX] = {0}, sum = 0;
    int used = 0;
    for (size_t i = 0; i < n; i++) {
        double share = s[i].share > 1 ? 1 : s[i].share > 0 ? s[i].share : 0;
        sum += share;
        cells[i] = (int)floor(share * w);
        rest[i] = share * w - cells[i];
        used += cells[i];
    }
    int want = (int)lround((sum > 1 ? 1 : sum) * w);
    for (; n > 0 && used < want; used++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (rest[i] > rest[best])
                best = i;
        cells[best]++;
        rest[best] = -1;
    }
}

void stacked_draw(struct canvas *c, int x, int y, int w, const struct segment *s, size_t n)
{
    int cells[SEGMENTS_MAX], at = 0;
    if (n > SEGMENTS_MAX)
        n = SEGMENTS_MAX;
    apportion(s, n, w, cells);
    for (size_t i = 0; i < n; i++) {
        struct style st = STYLE_LEVEL(s[i].role, s[i].level);
        st.reverse = 1;
        for (int k = 0; k < cells[i] && at < w; k++, at++)
            canvas_put(c, x + at, y,
                       cells[i] > 1 && k == cells[i] / 2 ? (uint32_t)s[i].letter : ' ', st);
    }
    for (; at < w; at++)
        canvas_put(c, x + at, y, 0x2500, STYLE(STYLE_METER_BG));
}

/* With room a CPU takes two cells, which reads better and is easier to hit with the mouse. */
static int cell_width(int n, int w)
{
    return n * 2 <= w ? 2 : 1;
}

int heat_rows(int n, int w)
{
    if (n <= 0 || w <= 0)
        return 0;
    int per_row = w / cell_width(n, w);
    return (n + per_row - 1) / per_row;
}

static uint32_t shade(const struct value *busy, bool ascii)
{
    static const char digits[] = "0123456789";
    static const uint32_t blocks[] = {0x2581, 0x2582, 0x2583, 0x2584,
                                      0x2585, 0x2586, 0x2587, 0x2588};
    if (busy->validity == VALUE_PENDING)
        return 0x00b7;
    if (busy->validity != VALUE_OK)
        return 'x';
    double v = busy->v < 0 ? 0 : busy->v > 100 ? 100 : busy->v;
    if (ascii)
        return (uint32_t)digits[(int)(v / 10.001)];
    return blocks[(int)(v / 12.51)];
}

int heat_draw(struct canvas *c, struct rect r, const struct snapshot *s)
{
    int n = s->host ? s->host->ncpus : 0, hottest = -1;
    int width = cell_width(n, r.w), per_row = r.w / width;
    for (int i = 0; i < n; i++) {
        const struct value *busy = &s->cpus[i].busy;
        if (busy->validity == VALUE_OK && (hottest < 0 || busy->v > s->cpus[hottest].busy.v))
            hottest = i;
        if (per_row <= 0 || i / per_row >= r.h)
            continue;
        double share = busy->validity == VALUE_OK ? busy->v : 0; /* bounded before it is cut */
        int level = share > 100 ? 100 : share > 0 ? (int)share : 0;
        struct style st =
            busy->validity == VALUE_OK ? STYLE_LEVEL(STYLE_GRAD_CPU, level) : STYLE(STYLE_DIM);
        for (int k = 0; k < width; k++)
            canvas_put(c, r.x + i % per_row * width + k, r.y + i / per_row, shade(busy, c->ascii),
                       st);
    }
    return hottest;
}
