/* The latency of DRAM under load, as it was measured, with what uses memory now on its curves. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/roofline/roofline.h"
#include "tui/widgets/plot.h"
#include "tui/widgets/wrap.h"

enum { CURVES_MAX = 8, TEXT_ROWS = 2 };
#define NS 1e9

struct curve {
    const struct cpu_roofs *cpu;
    double reads;
};
struct curves {
    struct curve of[CURVES_MAX];
    int n;
};

static struct curves find_curves(const struct cpu_roofs *cpu)
{
    struct curves c = {.n = 0};
    for (uint32_t i = 0; i < cpu->nloads; i++)
        if ((c.n == 0 || c.of[c.n - 1].reads != cpu->loads[i].reads) && c.n < CURVES_MAX)
            c.of[c.n++] = (struct curve){cpu, cpu->loads[i].reads};
    return c;
}

static double find_load_latency(const void *ctx, double x)
{
    const struct curve *c = ctx;
    return x < c->cpu->loads[0].bytes ? NAN : NS * cpu_load_latency(c->cpu, c->reads, x);
}

static struct style curve_style(const void *ctx, int line)
{
    static const uint8_t roles[] = {STYLE_BOX_CPU, STYLE_BOX_MEM, STYLE_BOX_NET, STYLE_BOX_PROC};
    (void)ctx;
    return STYLE(roles[line % 4]);
}

static void find_load_range(struct plot *p, const struct cpu_roofs *cpu, double now)
{
    p->x0 = p->y0 = INFINITY;
    p->x1 = p->y1 = 0;
    for (uint32_t i = 0; i < cpu->nloads; i++) {
        const struct cpu_load *l = &cpu->loads[i];
        p->x0 = fmin(p->x0, l->bytes);
        p->x1 = fmax(p->x1, l->bytes);
        p->y0 = fmin(p->y0, NS * l->latency);
        p->y1 = fmax(p->y1, NS * l->latency);
    }
    if (now > 0)
        p->x0 = fmin(p->x0, now), p->x1 = fmax(p->x1, now);
    p->x0 /= 1.2, p->y0 /= 1.2;
    p->x1 *= 1.3, p->y1 *= 1.2;
}

/* Whether the cell belongs to a word, so that a text right beside it would run into the word. */
static bool is_word_at(const struct canvas *c, int x, int y)
{
    const uint32_t ch = x >= 0 && x < c->cols ? c->cells[y * c->cols + x].ch : ' ';
    return ch < 128 && isalnum((int)ch);
}

/* Writes the share of reads at the end of each curve, where there is room. */
static void label_curves(struct canvas *c, const struct plot *p, const struct curves *curves)
{
    for (int i = 0; i < curves->n; i++) {
        const struct cpu_roofs *cpu = curves->of[i].cpu;
        const struct cpu_load *last = NULL;
        char text[24];
        int x, y;
        for (uint32_t k = 0; k < cpu->nloads; k++)
            if (cpu->loads[k].reads == curves->of[i].reads)
                last = &cpu->loads[k];
        snprintf(text, sizeof text, "%.0f %% reads", 100 * curves->of[i].reads);
        int w = text_width(text);
        if (!last || !plot_cell(p, last->bytes, NS * last->latency, &x, &y))
            continue;
        int right = p->area.x + p->area.w, at = x + 1 + w <= right ? x + 1 : right - w;
        for (int up = 0; up < 4; up++) { /* the first rows above that are free */
            bool is_free = y - up >= p->area.y;
            for (int k = at; k < at + w && is_free; k++)
                is_free = c->cells[(y - up) * c->cols + k].ch == ' ';
            if (!is_free || is_word_at(c, at - 1, y - up) || is_word_at(c, at + w, y - up))
                continue;
            canvas_text(c, at, y - up, w, text, curve_style(NULL, i));
            break;
        }
    }
}

/* Finds the latency at this traffic, for one share of reads or (NAN) for all. Returns false if
 * so much traffic was never measured. */
static bool latency_range(const struct curves *curves, double reads, double bytes, double range[2])
{
    range[0] = INFINITY;
    range[1] = 0;
    for (int i = 0; i < curves->n; i++) {
        double at =
            cpu_load_latency(curves->of[i].cpu, isnan(reads) ? curves->of[i].reads : reads, bytes);
        if (isnan(at))
            continue;
        range[0] = fmin(range[0], at);
        range[1] = fmax(range[1], at);
    }
    return range[1] > 0;
}

/* Marks this traffic on the curves that it may be on, and writes how long a load waits there. */
static void put_traffic(struct canvas *c, const struct plot *p, const struct curves *curves,
                        double reads, double bytes, uint32_t mark, struct style st, char *text,
                        size_t size)
{
    double range[2];
    char rate[VALUE_TEXT_MAX], low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    roofline_number(bytes, UNIT_BYTES_PER_S, c->ascii, rate);
    if (!latency_range(curves, reads, bytes, range)) {
        snprintf(text, size, "%s: more than was measured under load", rate);
        return;
    }
    for (int i = 0; i < curves->n; i++) {
        int x, y;
        double at =
            cpu_load_latency(curves->of[i].cpu, isnan(reads) ? curves->of[i].reads : reads, bytes);
        if (plot_cell(p, bytes, NS * at, &x, &y))
            canvas_put(c, x, y, mark, st);
    }
    roofline_number(range[0], UNIT_SECONDS, c->ascii, low);
    roofline_number(range[1], UNIT_SECONDS, c->ascii, high);
    if (strcmp(low, high) == 0)
        snprintf(text, size, "%s: a load waits about %s", rate, low);
    else
        snprintf(text, size, "%s: a load waits %s to %s, by reads", rate, low, high);
}

/* What the whole host moves, counted by its memory controllers. */
static void draw_host_traffic(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                              const struct plot *p, const struct curves *curves)
{
    char text[160], line[240];
    if (!shown->live)
        return;
    if (!(shown->work.bytes > 0)) {
        snprintf(line, sizeof line, "traffic of this host now: n/a: %.200s",
                 shown->work.why ? shown->work.why : "none");
    } else {
        put_traffic(c, p, curves, shown->work.reads, shown->work.bytes, c->ascii ? '#' : 0x25c6,
                    STYLE(STYLE_HOT), text, sizeof text);
        snprintf(line, sizeof line, "%s this host now, %.0f %% reads, %s", c->ascii ? "#" : "◆",
                 100 * shown->work.reads, text);
    }
    canvas_text(c, r.x, r.y, r.w, line, STYLE(STYLE_DIM));
}

/* The selected brick, if its declared bytes come from DRAM. */
static void draw_brick_traffic(const struct roofline_shown *shown, struct canvas *c, struct rect r,
                               const struct plot *p, const struct curves *curves,
                               const struct view_state *st)
{
    char text[160], line[240];
    if (st->selected < 0 || (size_t)st->selected >= shown->n)
        return;
    const struct roof_point *k = shown->point[st->selected];
    const struct roof *roof = roofline_roof(shown, k);
    if (!roof || !roof->threads || k->limit == GRAPH_NONE)
        return;
    const struct ceiling *limit = &roof->ceilings[k->limit];
    if (!limit->memory || limit->level != CPU_DRAM) {
        snprintf(line, sizeof line, "%.60s is bound by %s: %s", k->name, limit->name,
                 k->bytes > 0 ? "its declared bytes are not DRAM's" : "it declares no bytes");
        canvas_text(c, r.x, r.y, r.w, line, STYLE(STYLE_DIM));
        return;
    }
    put_traffic(c, p, curves, NAN, k->bytes, (unsigned char)shown->letter[st->selected],
                STYLE(STYLE_SELECTED), text, sizeof text);
    snprintf(line, sizeof line, "%c %.40s, %s", shown->letter[st->selected], k->name, text);
    double now = k->now_rate / k->now_intensity;
    if (now > 0) {
        char ignored[160];
        put_traffic(c, p, curves, NAN, now, c->ascii ? '*' : 0x25cf, STYLE(STYLE_HOT), ignored,
                    sizeof ignored);
    }
    canvas_text(c, r.x, r.y, r.w, line, STYLE(STYLE_TEXT));
}

static const char *why_no_curve(const struct cpu_roofs *cpu)
{
    if (!cpu)
        return "No measured roofs are known here.";
    if (!cpu->cpus)
        return cpu->none;
    if (cpu->cpus == 1)
        return "One CPU alone makes no load beside its loads: no latency under load was measured.";
    return "The roofs have no latency under load: rooftop lab roofs measures it.";
}

void roofline_load(struct canvas *c, struct rect r, const struct view_state *st)
{
    const struct roofline_shown *shown = st->own;
    struct plot p = {.x_title = "DRAM moves, bytes/s", .y_title = "ns of a load", .fine = true};
    if (!shown->cpu || shown->cpu->nloads == 0) {
        wrap_draw(c, r, why_no_curve(shown->cpu), STYLE(STYLE_DIM));
        return;
    }
    struct curves curves = find_curves(shown->cpu);
    struct rect text = {r.x, r.y + r.h - TEXT_ROWS, r.w, 1}, second = text;
    find_load_range(&p, shown->cpu, shown->live ? shown->work.bytes : NAN);
    r.h -= TEXT_ROWS;
    second.y++;
    if (!plot_begin(&p, c, r))
        return;
    for (int i = 0; i < curves.n; i++)
        plot_line(&p, i, find_load_latency, &curves.of[i], false);
    plot_end(&p, c, curve_style, NULL);
    label_curves(c, &p, &curves);
    draw_host_traffic(shown, c, text, &p, &curves);
    draw_brick_traffic(shown, c, second, &p, &curves, st);
}
