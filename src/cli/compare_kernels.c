#include "cli/compare_kernels.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare_draw.h"
#include "cli/exit.h"
#include "cli/progress.h"
#include "engine/kernels_export.h"

struct columns { /* where each begins */
    int name, calls, a, b, change, interval, total, verdict;
};

/* The name gets what is left; the interval goes first where there is little room. */
static struct columns place(int cols)
{
    bool wide = cols >= 110, middle = cols >= 84;
    int value = middle ? 17 : 11, calls = middle ? 14 : 0, interval = wide ? 19 : 0;
    int total = wide ? 11 : 0;
    int rest = calls + 2 * value + 10 + interval + total + 11;
    int name = cols - rest - 1 < 16 ? 16 : cols - rest - 1;
    struct columns k = {.name = 1, .calls = calls ? 1 + name : 0, .a = 1 + name + calls};
    k.b = k.a + value;
    k.change = k.b + value;
    k.interval = interval ? k.change + 10 : 0;
    k.total = total ? k.change + 10 + interval : 0;
    k.verdict = k.change + 10 + interval + total + 1;
    return k;
}

static void draw_head(struct canvas *c, int y, const struct columns *k)
{
    struct style st = STYLE(STYLE_HEADING);
    canvas_text(c, k->name, y, 20, "MEAN OF A CALL", st);
    if (k->calls)
        canvas_text_right(c, k->calls, y, k->a - k->calls - 2, "CALLS", st);
    canvas_text_right(c, k->a, y, k->b - k->a - 2, "A", st);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, "B", st);
    canvas_text_right(c, k->change, y, 9, "CHANGE", st);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, "95 % INTERVAL, %", st);
    if (k->total)
        canvas_text_right(c, k->total, y, 10, "ALL CALLS", st);
}

/* What all calls take more, or less. */
static void draw_total(struct canvas *c, int y, const struct columns *k,
                       const struct kernel_change *x)
{
    char text[32], number[VALUE_TEXT_MAX];
    bool more = x->total[1] >= x->total[0];
    uint64_t d = more ? x->total[1] - x->total[0] : x->total[0] - x->total[1];
    snprintf(text, sizeof text, "%s%s", more ? "+" : "-",
             kernels_time((double)d, c->ascii, number));
    canvas_text_right(c, k->total, y, 10, text, STYLE(STYLE_DIM));
}

static void draw_row(struct canvas *c, int y, const struct columns *k, const struct compare_row *r,
                     const struct kernel_change *x)
{
    char a[48], b[48], text[48];
    bool spread = k->b - k->a > 12, marked = r->verdict != COMPARE_SAME;
    struct style st = compare_row_style(r), plain = STYLE(marked ? STYLE_TEXT : STYLE_DIM);
    compare_mean_text(&r->a, r->unit, c->ascii, spread, a, sizeof a);
    compare_mean_text(&r->b, r->unit, c->ascii, spread, b, sizeof b);
    canvas_text(c, k->name, y, (k->calls ? k->calls : k->a) - k->name - 1, r->label, plain);
    snprintf(text, sizeof text, x->calls[0] == x->calls[1] ? "%" PRIu64 : "%" PRIu64 " / %" PRIu64,
             x->calls[0], x->calls[1]);
    if (k->calls)
        canvas_text_right(c, k->calls, y, k->a - k->calls - 2, text, STYLE(STYLE_DIM));
    canvas_text_right(c, k->a, y, k->b - k->a - 2, a, plain);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, b, plain);
    if (r->a.n && r->b.n)
        canvas_text_right(c, k->change, y, 9, compare_change_text(r->change, text), st);
    compare_interval_text(r, text, sizeof text);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, text, STYLE(STYLE_DIM));
    if (k->total)
        draw_total(c, y, k, x);
    canvas_printf(c, k->verdict, y, c->cols - k->verdict, st, "%s %s",
                  compare_mark(r->verdict, c->ascii),
                  r->verdict == COMPARE_SAME ? "" : compare_verdict_name(r->verdict));
}

static void draw_side(struct canvas *c, int y, const char *name, const char *path,
                      const struct kernels_total *t)
{
    char wall[VALUE_TEXT_MAX], kernels[VALUE_TEXT_MAX], way[VALUE_TEXT_MAX];
    int x = 1 + canvas_text(c, 1, y, 2, name, STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, y, c->cols / 3, path, STYLE(STYLE_TITLE)) + 2;
    canvas_printf(c, x, y, c->cols - x - 1, STYLE(STYLE_DIM),
                  "%s, kernels %s, idle %.1f %%, path %s  %s",
                  kernels_time((double)t->wall, c->ascii, wall),
                  kernels_time((double)t->kernels, c->ascii, kernels),
                  isnan(t->facts.v[FACT_IDLE]) ? 0 : 100 * t->facts.v[FACT_IDLE],
                  kernels_time((double)t->path, c->ascii, way), bottleneck_name(t->label.label));
}

void compare_kernels_draw(struct canvas *c, int cols, const struct kernels_comparison *k,
                          const char *a, const char *b)
{
    struct columns at = place(cols);
    int y = 0;
    canvas_resize(c, cols, (int)k->c.n + 7);
    draw_side(c, y++, "A", a, &k->total[0]);
    draw_side(c, y++, "B", b, &k->total[1]);
    draw_head(c, ++y, &at);
    for (size_t i = 0; i < k->c.n; i++)
        draw_row(c, ++y, &at, &k->c.rows[i], &k->changes[k->c.rows[i].tag]);
    canvas_printf(c, 1, y + 2, cols - 2, STYLE(STYLE_DIM),
                  "%zu differ, %zu do not: Welch's t on effective samples, false discovery rate "
                  "%.0f %%; this run against that",
                  compare_count(&k->c, true), compare_count(&k->c, false), 100 * compare_alpha);
}

/* --- the command --- */

static void draw(struct canvas *c, int cols, const void *k, const char *a, const char *b)
{
    compare_kernels_draw(c, cols, k, a, b);
}

static int make_text(const struct options *o, const struct kernels_comparison *k, char **text,
                     size_t *len, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    if (strcmp(format, "text") == 0)
        return compare_render(o, draw, k, text, len, err);
    FILE *f = open_memstream(text, len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    if (strcmp(format, "csv") == 0)
        kernels_compare_csv(f, k);
    else
        kernels_compare_json(f, k, o->operands[0], o->operands[1]);
    fclose(f);
    return 0;
}

int compare_profiles(const struct options *o, struct error *err)
{
    struct analysis side[2] = {{.memory = {0}}, {.memory = {0}}};
    struct kernels_comparison k = {.n = 0};
    char *text = NULL;
    size_t len = 0;
    int rc = 0;
    if (o->format && strcmp(o->format, "json") != 0 && strcmp(o->format, "text") != 0 &&
        strcmp(o->format, "csv") != 0)
        rc = error_set(err, ERROR_USAGE, EINVAL, "text, json or csv", "compare", "cannot print %s",
                       o->format);
    for (size_t i = 0; i < 2 && rc == 0; i++)
        rc = progress_analysis_open(&side[i], (const char *const *)&o->operands[i], 1, err);
    for (uint32_t i = 0; rc == 0 && i < side[0].trace.nnotes; i++)
        exit_note(side[0].trace.notes[i]);
    if (rc == 0) {
        kernels_compare(&k, &side[0], &side[1], kernels_group_named(o->group));
        rc = make_text(o, &k, &text, &len, err);
    }
    if (rc == 0)
        rc = compare_print(o, text, len, err);
    free(text);
    kernels_comparison_free(&k);
    for (size_t i = 0; i < 2; i++)
        analysis_close(&side[i]);
    return rc;
}
