/* A comparison as a table for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/compare/compare.h"
#include "tui/widgets/cut.h"

struct columns { /* where each column begins; 0: there is no room for it */
    int label, calls, a, b, change, interval, total, verdict;
};

/* Chooses the columns. The label gets the remaining width. The interval is left out last, because
 * a difference says little without it. */
static struct columns place_columns(int cols)
{
    bool wide = cols >= 120, middle = cols >= 88;
    int value = middle ? 18 : 10;
    int calls = wide ? 15 : 0;
    int interval = cols >= 78 ? 18 : 0;
    int total = wide ? 11 : 0, rest = calls + 2 * value + 10 + interval + total + 11;
    int label = cols - rest - 1 < 14 ? 14 : cols - rest - 1;
    struct columns k = {.label = 1, .calls = calls ? 1 + label : 0, .a = 1 + label + calls};
    k.b = k.a + value;
    k.change = k.b + value;
    k.interval = interval ? k.change + 10 : 0;
    k.total = total ? k.change + 10 + interval : 0;
    k.verdict = k.change + 10 + interval + total + 1;
    return k;
}

static void mean_text(const struct compare_row *r, int side, bool ascii, bool spread, char *out,
                      size_t size)
{
    const struct stats *s = side ? &r->b : &r->a;
    char text[VALUE_TEXT_MAX];
    struct value v = value_ok(s->mean, r->unit);
    if (r->runs[side] == 0) {
        snprintf(out, size, "n/a");
        return;
    }
    value_format(&v, ascii, text);
    if (spread && s->mean != 0 && s->n > 1)
        snprintf(out, size, "%s %s%.*f %%", text, ascii ? "+-" : "±",
                 100 * s->sd < 9.95 * fabs(s->mean) ? 1 : 0,
                 fmin(100 * s->sd / fabs(s->mean), 999));
    else
        snprintf(out, size, "%s", text);
}

static const char *change_text(double change, char out[16])
{
    if (isnan(change))
        strcpy(out, "from 0");
    else if (fabs(change) >= 1000)
        snprintf(out, 16, "%+.0fx", change / 100);
    else
        snprintf(out, 16, "%+.1f %%", change);
    return out;
}

static struct style row_style(const struct compare_row *r)
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

static const char *verdict_mark(enum compare_verdict v, bool ascii)
{
    static const char *const marks[] = {" ", "▼", "▲", "?", "≠", "◀", "▶"};
    static const char *const plain[] = {" ", "v", "^", "?", "!", "<", ">"};
    return (ascii ? plain : marks)[v];
}

static double known_or_zero(double v)
{
    return isnan(v) ? 0 : v;
}

/* Draws the change of the total time of all calls. */
static void draw_total(struct canvas *c, int y, const struct columns *k,
                       const struct compare_row *r)
{
    double d = known_or_zero(r->total[1]) - known_or_zero(r->total[0]);
    char text[32], number[VALUE_TEXT_MAX];
    struct value v = value_ok(fabs(d), UNIT_SECONDS);
    snprintf(text, sizeof text, "%s%s", d < 0 ? "-" : "+", value_format(&v, c->ascii, number));
    canvas_text_right(c, k->total, y, 10, text, STYLE(STYLE_DIM));
}

static void draw_call_counts(struct canvas *c, int y, const struct columns *k,
                             const struct compare_row *r)
{
    char text[48];
    snprintf(text, sizeof text, r->calls[0] == r->calls[1] ? "%.10g" : "%.10g / %.10g", r->calls[0],
             r->calls[1]);
    canvas_text_right(c, k->calls, y, k->a - k->calls - 2, text, STYLE(STYLE_DIM));
}

static void draw_compared(struct canvas *c, int y, const struct columns *k,
                          const struct comparison *all, const struct compare_row *r)
{
    char a[48], b[48], text[48], label[1024];
    bool spread = k->b - k->a > 12, marked = r->verdict != COMPARE_SAME;
    bool calls = !isnan(r->total[0]) || !isnan(r->total[1]);
    struct style st = row_style(r),
                 plain = STYLE(marked || r->group == RUN_TIME ? STYLE_TEXT : STYLE_DIM);
    mean_text(r, 0, c->ascii, spread, a, sizeof a);
    mean_text(r, 1, c->ascii, spread, b, sizeof b);
    int room = (k->calls && calls ? k->calls : k->a) - k->label - 1;
    canvas_text(c, k->label, y, room, compare_label(all, r, room, c->ascii, label, sizeof label),
                plain);
    if (k->calls && calls)
        draw_call_counts(c, y, k, r);
    canvas_text_right(c, k->a, y, k->b - k->a - 2, a, plain);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, b, plain);
    if (r->runs[0] && r->runs[1])
        canvas_text_right(c, k->change, y, 9, change_text(r->change, text), st);
    compare_interval_text(r, text, sizeof text);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, text, STYLE(STYLE_DIM));
    if (k->total && calls)
        draw_total(c, y, k, r);
    canvas_printf(c, k->verdict, y, c->cols - k->verdict, st, "%s %s",
                  verdict_mark(r->verdict, c->ascii),
                  r->verdict == COMPARE_SAME ? "" : compare_verdict_name(r->verdict));
}

/* given, other: the words for this side and the other one. */
static void draw_compared_side(struct canvas *c, int y, const char *name, const char *given,
                               const char *other, const struct compare_side *s)
{
    char when[32] = "", cut[256];
    const int room = c->cols / 2;
    time_t t = (time_t)(s->wall_ns / 1000000000u);
    struct tm tm;
    if (s->wall_ns && localtime_r(&t, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    int x = 1 + canvas_text(c, 1, y, 2, name, STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, y, room, cut_apart(cut, sizeof cut, given, other, room, c->ascii),
                     STYLE(STYLE_TITLE)) +
         2;
    x += canvas_printf(c, x, y, c->cols - x - 1, STYLE(STYLE_DIM), "%s  %s  %s  %zu run%s",
                       s->command, s->hostname, when, s->runs, s->runs == 1 ? "" : "s");
    if (s->others >= 0.05)
        canvas_printf(c, x, y, c->cols - x - 1, STYLE(STYLE_WARN),
                      ", others had %.0f %% of the machine", 100 * s->others);
}

static void draw_group_head(struct canvas *c, int y, const struct columns *k, enum run_group g)
{
    struct style st = STYLE(STYLE_HEADING);
    canvas_text(c, k->label, y, k->a - k->label - 1, run_group_title(g), st);
    if (k->calls && (g == RUN_BRICK || g == RUN_KERNEL))
        canvas_text_right(c, k->calls, y, k->a - k->calls - 2, "CALLS", st);
    canvas_text_right(c, k->a, y, k->b - k->a - 2, "A", st);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, "B", st);
    canvas_text_right(c, k->change, y, 9, "CHANGE", st);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, "95 % INTERVAL, %", st);
    if (k->total && (g == RUN_BRICK || g == RUN_KERNEL))
        canvas_text_right(c, k->total, y, 10, "ALL CALLS", st);
}

/* Rows that are 0 on both sides are not shown. */
static bool is_silent_row(const struct compare_row *r)
{
    return r->a.mean == 0 && r->b.mean == 0 && r->a.max <= 0 && r->b.max <= 0 &&
           r->group != RUN_TIME;
}

/* Returns the last line that it used. */
static int draw_answer(struct canvas *c, int y, const struct comparison *k)
{
    char text[400];
    enum style_role st = STYLE_TITLE;
    if (k->answer == ANSWER_SLOWER)
        st = STYLE_DIFF_UP;
    else if (k->answer == ANSWER_FASTER)
        st = STYLE_DIFF_DOWN;
    compare_answer_text(k, text, sizeof text);
    canvas_text(c, 1, y, c->cols - 2, text, STYLE(st));
    if (compare_work_text(k, text, sizeof text))
        canvas_text(c, 1, ++y, c->cols - 2, text, STYLE(STYLE_WARN));
    if (compare_uneven_text(k, c->cols - 2, text, sizeof text))
        canvas_text(c, 1, ++y, c->cols - 2, text, STYLE(STYLE_WARN));
    return y;
}

static int count_verdicts(const struct comparison *k, bool differ)
{
    int n = 0;
    for (size_t i = 0; i < k->n; i++)
        n += differ ? k->rows[i].verdict == COMPARE_MORE || k->rows[i].verdict == COMPARE_LESS
                    : k->rows[i].verdict == COMPARE_SAME;
    return n;
}

static bool any_within_runs(const struct comparison *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (compare_within_runs(&k->rows[i]))
            return true;
    return false;
}

static bool any_assumed(const struct comparison *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].d.low <= k->rows[i].d.high && k->rows[i].basis == COMPARE_BY_ASSUMED)
            return true;
    return false;
}

/* Number of lines of the table, without those above and below it. */
static int table_rows(const struct comparison *k)
{
    int rows = 0, group = -1;
    for (size_t i = 0; i < k->n; i++) {
        if (is_silent_row(&k->rows[i]))
            continue;
        rows += (int)k->rows[i].group != group ? 3 : 1; /* a blank line and the head */
        group = (int)k->rows[i].group;
    }
    return rows;
}

/* Explains what the intervals are based on. */
static void draw_comparison_foot(struct canvas *c, int y, const struct comparison *k)
{
    int quiet = 0;
    for (size_t i = 0; i < k->n; i++)
        quiet += is_silent_row(&k->rows[i]);
    canvas_printf(c, 1, y++, c->cols - 2, STYLE(STYLE_DIM),
                  "%d differ, %d do not (%d of them 0 in both); false discovery rate %.0f %% in "
                  "each group",
                  count_verdicts(k, true), count_verdicts(k, false), quiet, 100 * compare_alpha);
    if (k->side[0].runs > 1 && k->side[1].runs > 1)
        canvas_printf(c, 1, y++, c->cols - 2, STYLE(STYLE_DIM), "Welch's t over runs%s: %s",
                      k->turns ? " that took turns" : "",
                      "launches and samples of one run are one value");
    if (any_within_runs(k))
        canvas_text(c, 1, y++, c->cols - 2,
                    "* calls of one run each: another run may differ by more; A1,A2 B1,B2, or "
                    "rooftop compare -- A -- B",
                    STYLE(STYLE_WARN));
    if (any_assumed(k))
        canvas_text(c, 1, y++, c->cols - 2,
                    "~ one run: its spread is assumed (docs/COMPARE.md); -r 5, or several "
                    "files, measure it",
                    STYLE(STYLE_WARN));
}

void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b)
{
    struct columns at = place_columns(cols);
    bool several = k->side[0].runs > 1 && k->side[1].runs > 1;
    char ignored[200];
    bool uneven = compare_uneven_text(k, cols, ignored, sizeof ignored);
    bool unlike = compare_work_text(k, ignored, sizeof ignored);
    int group = -1;
    canvas_resize(c, cols,
                  4 + uneven + unlike + table_rows(k) + 2 + several + any_within_runs(k) +
                      any_assumed(k));
    draw_compared_side(c, 0, "A", a, b, &k->side[0]);
    draw_compared_side(c, 1, "B", b, a, &k->side[1]);
    int y = draw_answer(c, 3, k) + 1;
    for (size_t i = 0; i < k->n; i++) {
        if (is_silent_row(&k->rows[i]))
            continue;
        if ((int)k->rows[i].group != group) {
            draw_group_head(c, y + 1, &at, k->rows[i].group);
            y += 2;
        }
        group = (int)k->rows[i].group;
        draw_compared(c, y++, &at, k, &k->rows[i]);
    }
    draw_comparison_foot(c, y + 1, k);
}
