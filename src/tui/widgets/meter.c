#include "tui/widgets/meter.h"

#include <math.h>
#include <stdlib.h>

#include "base/limit.h"

void meter_draw(struct canvas *c, int x, int y, int w, const struct value *percent,
                enum style_role role)
{
    static const uint32_t eighths[] = {' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589};
    if (percent->validity != VALUE_OK) {
        canvas_fill(c, (struct rect){x, y, w, 1}, 0x00b7, STYLE(STYLE_METER_BG));
        return;
    }
    double share = limit_double(percent->v / 100, 0, 1);
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

/* Gives the cells that are left after rounding down to the segments with the largest remainders. */
static void apportion_cells(const struct segment *s, size_t n, int w, int cells[SEGMENTS_MAX])
{
    double rest[SEGMENTS_MAX] = {0}, sum = 0;
    int used = 0;
    for (size_t i = 0; i < n; i++) {
        double share = s[i].share > 0 ? fmin(s[i].share, 1) : 0;
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
    apportion_cells(s, n, w, cells);
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

/* --- heat map --- */

enum { HEAT_MAX = 8192 };

static int compare_cpu_places(const void *a, const void *b, void *ctx)
{
    const struct cpu *cpus = ctx;
    const struct cpu *p = &cpus[*(const uint16_t *)a], *q = &cpus[*(const uint16_t *)b];
    if (p->package != q->package)
        return p->package < q->package ? -1 : 1;
    if (p->llc != q->llc)
        return p->llc < q->llc ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* Writes the CPUs in the order of the map. Returns how many. */
static int sort_cpus(const struct snapshot *s, uint16_t order[HEAT_MAX])
{
    int n = s->host ? s->host->ncpus : 0;
    n = n < HEAT_MAX ? n : HEAT_MAX;
    for (int i = 0; i < n; i++)
        order[i] = (uint16_t)i;
    qsort_r(order, (size_t)n, sizeof *order, compare_cpu_places, (void *)s->cpus);
    return n;
}

static bool is_same_cpu_group(const struct cpu *a, const struct cpu *b)
{
    return a->package == b->package && a->llc == b->llc;
}

/* Computes where each CPU stands, width cells apart. Returns the number of rows. at may be NULL. */
static int lay_out_cpus(const struct snapshot *s, const uint16_t *order, int n, int w, int width,
                        struct rect *at)
{
    int x = 0, y = 0;
    for (int i = 0; i < n; i++) {
        const struct cpu *k = &s->cpus[order[i]];
        const struct cpu *last = i ? &s->cpus[order[i - 1]] : k;
        if (!is_same_cpu_group(k, last)) {
            int size = 1; /* a group that fits on one line is not broken */
            while (i + size < n && is_same_cpu_group(k, &s->cpus[order[i + size]]))
                size++;
            x++;
            bool broken = x + size * width > w && size * width <= w;
            if (k->package != last->package || broken)
                x = 0, y++;
        }
        if (x + width > w)
            x = 0, y++;
        if (at)
            at[order[i]] = (struct rect){x, y, width, 1};
        x += width;
    }
    return n ? y + 1 : 0;
}

/* A CPU takes two cells if there is room, which is easier to read and to click. */
static int cell_width(int n, int w)
{
    return n * 2 <= w ? 2 : 1;
}

int heat_rows(const struct snapshot *s, int w)
{
    uint16_t order[HEAT_MAX];
    int n = sort_cpus(s, order);
    return w > 0 ? lay_out_cpus(s, order, n, w, cell_width(n, w), NULL) : 0;
}

static uint32_t choose_cpu_shade(const struct value *busy, bool ascii)
{
    static const char digits[] = "0123456789";
    static const uint32_t blocks[] = {0x2581, 0x2582, 0x2583, 0x2584,
                                      0x2585, 0x2586, 0x2587, 0x2588};
    if (busy->validity == VALUE_PENDING)
        return 0x00b7;
    if (busy->validity != VALUE_OK)
        return 'x';
    double v = limit_double(busy->v, 0, 100);
    if (ascii)
        return (uint32_t)digits[(int)(v / 10.001)];
    return blocks[(int)(v / 12.51)];
}

int heat_draw(struct canvas *c, struct rect r, const struct snapshot *s)
{
    uint16_t order[HEAT_MAX];
    int n = sort_cpus(s, order), hottest = -1;
    if (r.w <= 0)
        return -1;
    struct rect *at = xcalloc((size_t)n + 1, sizeof *at);
    lay_out_cpus(s, order, n, r.w, cell_width(n, r.w), at);
    for (int i = 0; i < n; i++) {
        const struct value *busy = &s->cpus[i].busy;
        if (busy->validity == VALUE_OK && (hottest < 0 || busy->v > s->cpus[hottest].busy.v))
            hottest = i;
        if (at[i].y >= r.h)
            continue;
        /* limited before the conversion to an integer */
        double share = busy->validity == VALUE_OK ? busy->v : 0;
        int level = share > 0 ? (int)fmin(share, 100) : 0;
        struct style st =
            busy->validity == VALUE_OK ? STYLE_LEVEL(STYLE_GRAD_CPU, level) : STYLE(STYLE_DIM);
        canvas_fill(c, (struct rect){r.x + at[i].x, r.y + at[i].y, at[i].w, 1},
                    choose_cpu_shade(busy, c->ascii), st);
    }
    free(at);
    return hottest;
}
