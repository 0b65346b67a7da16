/* The log-log plot: roofs as lines, points as letters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/roofline/roofline.h"
#include "tui/widgets/plot.h"

enum { LINES = ROOFLINE_LINES, LABEL = 64 };

static double find_roof_height(const void *ctx, double x)
{
    const struct roofline_line *l = ctx;
    if (l->roof)
        return roofline_bound(l->roof, x);
    double y = l->memory ? x * l->peak : l->peak;
    if (l->memory)
        return y <= l->most ? y : 0;
    return x * l->fastest >= y ? y : 0;
}

static struct style roof_line_style(const void *ctx, int line)
{
    const struct roofline_shown *shown = ctx;
    return STYLE(shown->lines[line].role);
}

/* --- choosing the lines --- */

/* Columns, and rows, that have room for the ceilings of other vector widths and types. */
enum { ROOMY_FROM = 80, ROOMY_HIGH_FROM = 70, ROOMY_ROWS = 28 };

static bool is_wanted_ceiling(const struct roofline_shown *shown, const struct ceiling *c,
                              uint32_t roof)
{
    if (c->memory)
        return !shown->level || c->level == shown->level - 1;
    if (shown->r->roofs[roof].threads)
        return !c->extra || shown->roomy;
    for (size_t i = 0; i < shown->n && !c->extra; i++) {
        const struct roof_point *p = shown->point[i];
        if (p->work && p->roof == roof && p->work->ops_s[c->unit][c->type] > 0)
            return true;
    }
    return false;
}

/* Adds a ceiling; ceilings of the same height become one line. */
static void add_ceiling_line(struct roofline_shown *shown, const struct ceiling *c, int first)
{
    static const uint8_t levels[] = {STYLE_BOX_MEM, STYLE_BOX_NET, STYLE_BOX_PROC, STYLE_OK};
    for (int i = first; i < shown->nlines; i++) {
        struct roofline_line *l = &shown->lines[i];
        if (l->memory != c->memory || fabs(l->peak / c->peak - 1) > 0.01)
            continue;
        size_t n = strlen(l->label);
        snprintf(l->label + n, sizeof l->label - n, ", %s", c->name);
        return;
    }
    if (shown->nlines == LINES)
        return;
    struct roofline_line *l = &shown->lines[shown->nlines++];
    uint8_t role = c->extra ? STYLE_DIM : STYLE_BOX_CPU;
    if (c->memory)
        role = levels[c->level % 4];
    *l = (struct roofline_line){.memory = c->memory,
                                .peak = c->peak,
                                .most = INFINITY,
                                .fastest = INFINITY,
                                .role = role,
                                .dashed = c->memory && c->level % 2 == 1 && !shown->level};
    snprintf(l->label, sizeof l->label, "%s", c->name);
}

static void add_ceilings(struct roofline_shown *shown, const struct roof *r, uint32_t roof)
{
    int first = shown->nlines;
    double most = 0, fastest = 0;
    for (uint32_t i = 0; i < r->nceilings; i++)
        if (is_wanted_ceiling(shown, &r->ceilings[i], roof))
            add_ceiling_line(shown, &r->ceilings[i], first);
    for (int i = first; i < shown->nlines; i++) {
        const struct roofline_line *l = &shown->lines[i];
        most = fmax(most, l->memory ? 0 : l->peak);
        fastest = fmax(fastest, l->memory ? l->peak : 0);
    }
    for (int i = first; i < shown->nlines; i++) {
        shown->lines[i].most = most > 0 ? most : INFINITY;
        shown->lines[i].fastest = fastest > 0 ? fastest : INFINITY;
    }
}

static void add_roof(struct roofline_shown *shown, const struct roof *r, uint32_t i)
{
    static const uint8_t roles[] = {STYLE_BOX_CPU, STYLE_BOX_MEM, STYLE_BOX_NET, STYLE_BOX_PROC};
    if (r->nceilings)
        add_ceilings(shown, r, i);
    else if (shown->nlines < LINES)
        shown->lines[shown->nlines++] =
            (struct roofline_line){.roof = r, .role = roles[i % 4], .dashed = i % 2 == 1};
}

static void find_lines(struct roofline_shown *shown, const struct roof_point *selected)
{
    shown->nlines = 0;
    for (uint32_t i = 0; i < shown->r->nroofs; i++)
        if (roofline_roof_shown(shown, i, selected))
            add_roof(shown, &shown->r->roofs[i], i);
}

/* --- choosing the range --- */

static void widen_range(double v, double *low, double *high)
{
    if (!(v > 0) || !isfinite(v))
        return;
    if (v < *low)
        *low = v;
    if (v > *high)
        *high = v;
}

/* Extends the range to the top of a line and to its bend. */
static void include_line(const struct roofline_line *l, double x[2], double y[2])
{
    if (l->roof) {
        if (l->roof->flops > 0)
            widen_range(l->roof->flops, &y[0], &y[1]);
        if (l->roof->flops > 0 && l->roof->bytes > 0)
            widen_range(l->roof->flops / l->roof->bytes, &x[0], &x[1]);
        return;
    }
    widen_range(l->memory ? l->most : l->peak, &y[0], &y[1]);
    widen_range(l->memory ? l->most / l->peak : l->peak / l->fastest, &x[0], &x[1]);
}

/* What counters tell of the watched program is under the roofs of its CPU only. */
static bool shows_work(const struct roofline_shown *shown)
{
    return shown->host && shown->work.intensity > 0 && !shown->counters;
}

static bool find_plot_ranges(struct plot *p, const struct view_state *st,
                             const struct roof_point *selected)
{
    const struct roofline_shown *shown = st->own;
    double x[2] = {INFINITY, 0}, y[2] = {INFINITY, 0};
    for (size_t i = 0; i < shown->n; i++) {
        double at = roofline_intensity(shown->point[i], shown->level);
        if (roofline_why_no_intensity(shown->point[i]))
            widen_range(shown->point[i]->flops, &y[0], &y[1]);
        if (!(at > 0) || !(shown->point[i]->flops > 0))
            continue;
        widen_range(at, &x[0], &x[1]);
        widen_range(shown->point[i]->flops, &y[0], &y[1]);
        if (shown->point[i] == selected)
            widen_range(selected->now_rate, &y[0], &y[1]);
    }
    if (shows_work(shown)) {
        widen_range(shown->work.intensity, &x[0], &x[1]);
        widen_range(shown->work.flops, &y[0], &y[1]);
    }
    for (int i = 0; i < shown->nlines; i++)
        include_line(&shown->lines[i], x, y);
    if (!(x[1] > 0) || !(y[1] > 0))
        return false;
    double x0 = log10(x[0]) - 0.4, x1 = log10(x[1]) + 0.4;
    bool labelled = shown->nlines && !shown->lines[0].roof;
    double y0 = log10(y[0]) - 0.4, y1 = log10(y[1]) + (labelled ? 0.6 : 0.3);
    double half = pow(2, -(double)st->zoom);
    double at = selected ? roofline_intensity(selected, shown->level) : NAN;
    /* zoomed in around the selected point */
    if (st->zoom && selected && at > 0 && selected->flops > 0) {
        double cx = log10(at), cy = log10(selected->flops);
        double w = (x1 - x0) * half / 2, h = (y1 - y0) * half / 2;
        x0 = cx - w, x1 = cx + w, y0 = cy - h, y1 = cy + h;
    }
    p->x0 = pow(10, x0), p->x1 = pow(10, x1), p->y0 = pow(10, y0), p->y1 = pow(10, y1);
    return true;
}

/* --- labels --- */

/* Draws the name of a roof above and left of the roofs, where there are no marks. */
static void roof_label(struct roofline_shown *shown, struct canvas *c, const struct plot *p,
                       const struct roof *r, int line, int row)
{
    char flops[VALUE_TEXT_MAX], bytes[VALUE_TEXT_MAX];
    bool how = *r->how && p->area.w >= 90;
    const char *solid = c->ascii ? "---" : "━━━";
    roofline_number(r->flops, UNIT_FLOP_PER_S, c->ascii, flops);
    roofline_number(r->bytes, UNIT_BYTES_PER_S, c->ascii, bytes);
    canvas_printf(c, p->area.x + 1, p->area.y + row, p->area.w - 1, roof_line_style(shown, line),
                  "%s %s: %s, %s%s%.40s%s", shown->lines[line].dashed ? "- -" : solid, r->name,
                  r->flops > 0 ? flops : "n/a", r->bytes > 0 ? bytes : "n/a", how ? " (" : "",
                  how ? r->how : "", how ? ")" : "");
}

static bool is_blank_at(const struct canvas *c, int x, int y, int w)
{
    for (int i = x; i < x + w; i++)
        if (i < 0 || y < 0 || i >= c->cols || y >= c->rows || c->cells[y * c->cols + i].ch != ' ')
            return false;
    return true;
}

/*
 * Draws a text above or below a horizontal line, as far right as there is room; at the right end it
 * may be longer than the line.
 */
static bool put_label(struct canvas *c, const struct plot *p, int begin, int y, const char *text,
                      struct style st)
{
    int w = text_width(text), last = p->area.x + p->area.w - w;
    for (int at = last; (at >= begin || at == last) && w < p->area.w / 2; at--)
        for (int up = 1; up >= -1; up -= 2)
            if (y - up >= p->area.y && y - up < p->area.y + p->area.h &&
                is_blank_at(c, at, y - up, w)) {
                canvas_text(c, at, y - up, w, text, st);
                return true;
            }
    return false;
}

/* Labels a horizontal line, with its number where there is room. */
static void label_level(struct canvas *c, const struct plot *p, const struct roofline_line *l,
                        const char *text, struct style st)
{
    int x, y, begin, ignored;
    if (!plot_cell(p, p->x1 * 0.9999, l->peak, &x, &y))
        return;
    if (!plot_cell(p, l->peak / l->fastest, l->peak, &begin, &ignored))
        begin = p->area.x;
    if (!put_label(c, p, begin, y, text, st))
        put_label(c, p, begin, y, l->label, st);
}

/*
 * Labels a line on its upper side: a diagonal as far left as possible, a horizontal line on the
 * right.
 */
static void label_line(struct roofline_shown *shown, struct canvas *c, const struct plot *p, int i)
{
    const struct roofline_line *l = &shown->lines[i];
    char text[LABEL + VALUE_TEXT_MAX + 2], peak[VALUE_TEXT_MAX];
    int left = p->area.x, x, y;
    roofline_number(l->peak, l->memory ? UNIT_BYTES_PER_S : UNIT_FLOP_PER_S, c->ascii, peak);
    snprintf(text, sizeof text, "%s %s", l->label, peak);
    int w = text_width(text);
    if (!l->memory) {
        label_level(c, p, l, text, roof_line_style(shown, i));
        return;
    }
    for (int column = 1; column < p->area.w; column++) {
        double at = p->x0 * pow(p->x1 / p->x0, (column + 0.5) / p->area.w);
        if (!(find_roof_height(l, at) > 0) || !plot_cell(p, at, find_roof_height(l, at), &x, &y))
            continue;
        /* first with its number, then with its name only */
        for (int tries = 0; tries < 2; tries++) {
            int n = tries ? text_width(l->label) : w;
            if (x - n - 1 >= left && is_blank_at(c, x - n - 1, y, n + 1)) {
                canvas_text(c, x - n - 1, y, n, tries ? l->label : text, roof_line_style(shown, i));
                return;
            }
        }
    }
}

/* Draws the names of the roofs, unless they stand above the plot. */
static void draw_roof_names(struct roofline_shown *shown, struct canvas *c, const struct plot *p,
                            const struct roof_point *selected)
{
    const struct roofline *all = shown->r;
    int row = 0;
    for (int i = 0; i < shown->nlines; i++)
        if (shown->lines[i].roof && row < p->area.h / 2)
            roof_label(shown, c, p, shown->lines[i].roof, i, row++);
    for (uint32_t i = 0; i < all->nroofs; i++)
        if (all->roofs[i].nceilings && row < p->area.h / 4 &&
            (all->roofs[i].threads ? roofline_roof_shown(shown, i, selected)
                                   : all->nroofs > 1 && !shown->mode))
            canvas_printf(c, p->area.x + 1, p->area.y + row++, p->area.w - 1, STYLE(STYLE_DIM),
                          "%s: %s", all->roofs[i].name, all->roofs[i].how);
}

/* --- marks --- */

static void put_mark(struct canvas *c, const struct plot *p, int x, int y, char ch, struct style st)
{
    if (x >= p->area.x && x < p->area.x + p->area.w)
        canvas_put(c, x, y, (unsigned char)ch, st);
}

/* Draws the letter of a point, in brackets if it takes much of the time. */
static void draw_mark(const struct roofline_shown *shown, struct canvas *c, const struct plot *p,
                      size_t i, int x, int y, struct style st)
{
    double share =
        shown->counters && shown->total ? (double)shown->point[i]->total / (double)shown->total : 0;
    int wide = share >= 0.05;
    put_mark(c, p, x, y, shown->letter[i], st);
    if (wide) {
        put_mark(c, p, x - 1, y, share >= 0.25 ? '[' : '(', st);
        put_mark(c, p, x + 1, y, share >= 0.25 ? ']' : ')', st);
    }
    if (c->nzones < CANVAS_ZONES_MAX - 24)
        canvas_zone(c, (struct rect){x - wide, y, 1 + 2 * wide, 1}, ACTION_POINT_FRAME, (int)i);
}

/*
 * The cell of a point. One without FLOPs stands at the left end of the line of its bandwidth, one
 * without bytes at the right end of that of its FLOP/s: their distance to the roof of memory, or of
 * computing, is the same at every intensity.
 */
static bool point_at(const struct roofline_shown *shown, const struct plot *p,
                     const struct roof_point *k, int *x, int *y)
{
    const double least = 1.0001; /* inside the plot */
    if (!roofline_why_no_intensity(k))
        return plot_cell(p, roofline_intensity(k, shown->level), k->flops, x, y);
    if (isnan(k->bytes))
        return plot_cell(p, p->x1 / least, k->flops, x, y);
    const double at = fmax(p->x0, p->y0 / k->bytes) * least;
    return plot_cell(p, at, at * k->bytes, x, y);
}

/* Draws the same FLOP/s at the intensity of every level of memory. */
static void draw_levels(const struct roofline_shown *shown, struct canvas *c, const struct plot *p,
                        const struct roof_point *k)
{
    static const char marks[WORK_LEVELS] = {'H', '2', '1', 'S'};
    int from = -1, to = -1, x, y = 0;
    if (!k->work || shown->level)
        return;
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < WORK_LEVELS; l++) {
            if (!plot_cell(p, k->work->intensity[l], k->flops, &x, &y))
                continue;
            if (pass)
                put_mark(c, p, x, y, marks[l], STYLE(STYLE_HOT));
            from = from < 0 || x < from ? x : from;
            to = x > to ? x : to;
        }
        for (x = from + 1; !pass && from >= 0 && x < to; x++)
            canvas_put(c, x, y, 0x2500, STYLE(STYLE_DIV));
    }
}

/* Draws where the selected point of a running program is now, which moves around its mean. */
static void draw_now(struct canvas *c, const struct plot *p, const struct roof_point *k)
{
    int x, y;
    if (plot_cell(p, k->now_intensity, k->now_rate, &x, &y))
        canvas_put(c, x, y, c->ascii ? '*' : 0x25cf, STYLE(STYLE_HOT));
}

static void draw_selected_point(const struct roofline_shown *shown, struct canvas *c,
                                const struct plot *p, size_t i)
{
    const struct roof_point *k = shown->point[i];
    int x, y;
    draw_levels(shown, c, p, k);
    draw_now(c, p, k);
    if (!point_at(shown, p, k, &x, &y))
        return;
    draw_mark(shown, c, p, i, x, y, STYLE(STYLE_SELECTED));
    int w = text_width(k->name);
    int at = x + 2 + w < p->area.x + p->area.w ? x + 2 : x - w - 1;
    if (k->work) { /* with a mark for each level beside it */
        at = x + w <= p->area.x + p->area.w ? x : p->area.x + p->area.w - w;
        y += y + 1 < p->area.y + p->area.h ? 1 : -1;
    }
    canvas_text(c, at > p->area.x ? at : p->area.x, y, w < p->area.w ? w : p->area.w, k->name,
                STYLE(STYLE_TITLE));
}

/* Draws where the watched program is now as a whole: counted FLOPs over the bytes of DRAM. */
static void draw_work(const struct roofline_shown *shown, struct canvas *c, const struct plot *p)
{
    static const char name[] = "all, counted";
    int x, y, w = (int)sizeof name - 1;
    if (!shows_work(shown) || !plot_cell(p, shown->work.intensity, shown->work.flops, &x, &y))
        return;
    canvas_put(c, x, y, c->ascii ? '#' : 0x25c6, STYLE(STYLE_HOT));
    if (x + 2 + w <= p->area.x + p->area.w)
        canvas_text(c, x + 2, y, w, name, STYLE(STYLE_HOT));
}

static void draw_marks(struct canvas *c, const struct plot *p, const struct view_state *st)
{
    const struct roofline_shown *shown = st->own;
    int x, y;
    /* Longer ones are drawn later, so that they cover shorter ones. */
    for (size_t rank = shown->n; rank-- > 0;) {
        size_t i = shown->by_time[rank];
        const struct roof_point *k = shown->point[i];
        if (point_at(shown, p, k, &x, &y)) {
            struct style style = roofline_reached_style(k);
            style.bold = true;
            draw_mark(shown, c, p, i, x, y, style);
        }
    }
    if (st->selected >= 0 && (size_t)st->selected < shown->n)
        draw_selected_point(shown, c, p, (size_t)st->selected);
}

void roofline_plot(struct canvas *c, struct rect r, const struct view_state *st)
{
    struct roofline_shown *shown = st->own;
    struct plot p = {.x_title = "FLOP/byte", .y_title = "FLOP/s"};
    char title[48];
    const struct roof_point *selected =
        st->selected >= 0 && (size_t)st->selected < shown->n ? shown->point[st->selected] : NULL;
    if (shown->level) {
        snprintf(title, sizeof title, "FLOP/byte of %s",
                 work_level_name((enum work_level)(shown->level - 1)));
        p.x_title = title;
    }
    shown->roomy = r.w >= ROOMY_FROM || (r.w >= ROOMY_HIGH_FROM && r.h >= ROOMY_ROWS);
    find_lines(shown, selected);
    if (!find_plot_ranges(&p, st, selected) || !plot_begin(&p, c, r))
        return;
    for (int i = 0; i < shown->nlines; i++)
        plot_line(&p, i, find_roof_height, &shown->lines[i], shown->lines[i].dashed);
    plot_end(&p, c, roof_line_style, shown);
    draw_roof_names(shown, c, &p, selected);
    draw_work(shown, c, &p);
    draw_marks(c, &p, st);
    for (int i = 0; i < shown->nlines; i++) /* last, because labels only take free cells */
        if (!shown->lines[i].roof)
            label_line(shown, c, &p, i);
}
