/* Two sessions side by side, as a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/compare_draw.h"

struct columns { /* where each begins */
    int label, a, b, change, interval, verdict;
};

static struct columns place(int cols)
{
    /* "-1.23 k/s ±12 %" takes 17 cells; the interval goes first where there is little room */
    int label = cols >= 110 ? 30 : cols >= 84 ? 24 : 20, value = cols >= 84 ? 18 : 12;
    struct columns k = {.label = 1, .a = 1 + label, .b = 1 + label + value};
    k.change = k.b + value;
    k.interval = cols >= 100 ? k.change + 10 : 0;
    k.verdict = k.interval ? k.interval + 19 : k.change + 11;
    return k;
}

void compare_mean_text(const struct stats *s, enum unit unit, bool ascii, bool spread, char *out,
                       size_t size)
{
    char text[VALUE_TEXT_MAX];
    struct value v = value_ok(s->mean, unit);
    if (s->n == 0) {
        snprintf(out, size, "n/a");
        return;
    }
    value_format(&v, ascii, text);
    if (spread && s->mean != 0 && s->sd > 0)
        snprintf(out, size, "%s %s%.0f%%", text, ascii ? "+-" : "±",
                 fmin(100 * s->sd / fabs(s->mean), 999));
    else
        snprintf(out, size, "%s", text);
}

const char *compare_change_text(double change, char out[16])
{
    if (isnan(change))
        strcpy(out, "from 0");
    else if (fabs(change) >= 1000)
        snprintf(out, 16, "%+.0fx", change / 100);
    else
        snprintf(out, 16, "%+.1f %%", change);
    return out;
}

void compare_interval_text(const struct compare_row *r, char *out, size_t size)
{
    double base = fabs(r->a.mean);
    if (r->d.low > r->d.high || !(base > 0) || fabs(r->d.high) > 100 * base)
        *out = '\0';
    else
        snprintf(out, size, "[%+.1f .. %+.1f]", 100 * r->d.low / base, 100 * r->d.high / base);
}

struct style compare_row_style(const struct compare_row *r)
{
    switch (r->verdict) {
    case COMPARE_MORE:
        return STYLE(STYLE_DIFF_UP);
    case COMPARE_LESS:
        return STYLE(STYLE_DIFF_DOWN);
    case COMPARE_ONLY_A:
    case COMPARE_ONLY_B:
        return STYLE(STYLE_WARN);
    default:
        return STYLE(STYLE_DIM);
    }
}

const char *compare_mark(enum compare_verdict v, bool ascii)
{
    static const char *const marks[] = {" ", "▼", "▲", "?", "◀", "▶"};
    static const char *const plain[] = {" ", "v", "^", "?", "<", ">"};
    return (ascii ? plain : marks)[v];
}

static void draw_row(struct canvas *c, int y, const struct columns *k, const struct compare_row *r)
{
    char a[48], b[48], text[48];
    bool spread = k->b - k->a > 12, marked = r->verdict != COMPARE_SAME;
    struct style st = compare_row_style(r), plain = STYLE(marked ? STYLE_TEXT : STYLE_DIM);
    compare_mean_text(&r->a, r->unit, c->ascii, spread, a, sizeof a);
    compare_mean_text(&r->b, r->unit, c->ascii, spread, b, sizeof b);
    canvas_text(c, k->label, y, k->a - k->label - 1, r->label, plain);
    canvas_text_right(c, k->a, y, k->b - k->a - 2, a, plain);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, b, plain);
    if (r->a.n && r->b.n)
        canvas_text_right(c, k->change, y, 9, compare_change_text(r->change, text), st);
    compare_interval_text(r, text, sizeof text);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, text, STYLE(STYLE_DIM));
    canvas_printf(c, k->verdict, y, c->cols - k->verdict, st, "%s %s",
                  compare_mark(r->verdict, c->ascii),
                  r->verdict == COMPARE_SAME ? "" : compare_verdict_name(r->verdict));
}

static void draw_side(struct canvas *c, int y, const char *name, const char *path,
                      const struct compare_side *s)
{
    char when[32] = "";
    time_t t = (time_t)(s->wall_ns / 1000000000u);
    struct tm tm;
    if (localtime_r(&t, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    int x = 1 + canvas_text(c, 1, y, 2, name, STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, y, c->cols / 3, path, STYLE(STYLE_TITLE)) + 2;
    canvas_printf(c, x, y, c->cols - x - 1, STYLE(STYLE_DIM), "%s  %s  %s  %.0f s, %zu samples",
                  s->target ? s->target : "", s->hostname ? s->hostname : "", when, s->seconds,
                  s->frames);
}

size_t compare_count(const struct comparison *k, bool marked)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++)
        n += marked ? k->rows[i].verdict == COMPARE_MORE || k->rows[i].verdict == COMPARE_LESS
                    : k->rows[i].verdict == COMPARE_SAME;
    return n;
}

void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b)
{
    struct columns at = place(cols);
    int y = 0;
    canvas_resize(c, cols, (int)k->n + 7);
    draw_side(c, y++, "A", a, &k->a);
    draw_side(c, y++, "B", b, &k->b);
    y++;
    canvas_text(c, at.label, y, at.a - at.label, "NUMBER", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.a, y, at.b - at.a - 2, "A", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.b, y, at.change - at.b - 2, "B", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.change, y, 9, "CHANGE", STYLE(STYLE_HEADING));
    if (at.interval)
        canvas_text_right(c, at.interval, y, 18, "95 % INTERVAL, %", STYLE(STYLE_HEADING));
    y++;
    for (size_t i = 0; i < k->n; i++)
        draw_row(c, y++, &at, &k->rows[i]);
    y++;
    canvas_printf(c, 1, y, cols - 2, STYLE(STYLE_DIM),
                  "%zu differ, %zu do not: Welch's t on effective samples, false discovery rate "
                  "%.0f %%",
                  compare_count(k, true), compare_count(k, false), 100 * compare_alpha);
}
