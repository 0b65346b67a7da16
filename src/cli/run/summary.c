#include "cli/run/run_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"

enum { LABEL = 24, NAME = 30 };

/* One number over all runs. */
struct summary_line {
    const struct run_number *x; /* the number in the first run that has it */
    struct stats over;
    double total, calls, rate, scaled; /* means over the runs; NAN: unknown */
};

static double mean_or_nan(const double *v, size_t n)
{
    return n ? stats_of(v, n).mean : NAN;
}

static struct summary_line make_summary_line(const struct runs *all, const struct run_number *x)
{
    struct summary_line l = {.x = x};
    double *v = xcalloc(5 * (all->n + 1), sizeof *v), *total = v + all->n + 1;
    double *calls = total + all->n + 1, *rate = calls + all->n + 1, *scaled = rate + all->n + 1;
    size_t n = 0, rates = 0, scales = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct run_number *y = run_find(&all->list[i], x->id);
        if (!y)
            continue;
        v[n] = y->within.mean;
        total[n] = y->total;
        calls[n++] = (double)y->within.n;
        if (!isnan(y->rate))
            rate[rates++] = y->rate;
        if (y->scaled)
            scaled[scales++] = y->scaled;
    }
    l.over = stats_of(v, n);
    l.total = mean_or_nan(total, n);
    l.calls = mean_or_nan(calls, n);
    l.rate = mean_or_nan(rate, rates);
    l.scaled = mean_or_nan(scaled, scales);
    free(v);
    return l;
}

static const char *summary_number(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value x = value_ok(v, unit);
    return value_format(&x, ascii, out);
}

/* Prints counts with all digits up to a readable length, so that they can be compared digit by
 * digit. */
static void print_value(FILE *out, const struct run_number *x, double v, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    if (x->unit == UNIT_COUNT && v == floor(v) && fabs(v) < 1e9)
        fprintf(out, "%14.0f", v);
    else
        print_text(out, "%14s", summary_number(v, (enum unit)x->unit, ascii, text));
}

static void print_run_spread(FILE *out, const struct summary_line *l, bool ascii)
{
    const struct stats *s = &l->over;
    char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    if (s->n > 1 && s->mean != 0)
        print_text(out, "   %s%5.1f %%", ascii ? "+-" : "±", 100 * s->sd / fabs(s->mean));
    if (s->n > 1 && l->x->group == RUN_TIME) {
        double half = stats_t_95((double)s->n - 1) * s->sd / sqrt((double)s->n);
        print_text(out, "   mean in [%s .. %s], 95 %%",
                   value_time(1e9 * fmax(0, s->mean - half), ascii, low),
                   value_time(1e9 * (s->mean + half), ascii, high));
    }
    if (!isnan(l->scaled) && l->scaled < 99.5)
        fprintf(out, "   counted %.0f %% of the time, scaled", l->scaled);
}

static void print_numbers(FILE *out, const struct runs *all, enum run_group group, bool ascii)
{
    bool any = false;
    for (size_t i = 0; i < all->list[0].n; i++) {
        const struct run_number *x = &all->list[0].numbers[i];
        if (x->group != group)
            continue;
        struct summary_line l = make_summary_line(all, x);
        any = true;
        print_text(out, "  %-*s", LABEL, x->label);
        print_value(out, x, l.over.mean, ascii);
        print_run_spread(out, &l, ascii);
        fputc('\n', out);
    }
    if (any)
        fputc('\n', out);
}

static void print_call_row(FILE *out, const struct summary_line *l, bool ascii)
{
    char total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];
    print_text(out, "  %-*.*s %10.0f %11s %11s %12s", NAME, NAME, l->x->label, l->calls,
               summary_number(l->total, UNIT_SECONDS, ascii, total),
               summary_number(l->over.mean, UNIT_SECONDS, ascii, mean),
               isnan(l->rate) ? "n/a" : summary_number(l->rate, UNIT_COUNT_PER_S, ascii, rate));
    print_run_spread(out, l, ascii);
    fputc('\n', out);
}

static int compare_line_totals(const void *x, const void *y)
{
    const struct summary_line *a = x, *b = y;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return strcmp(a->x->id, b->x->id);
}

static void print_call_table(FILE *out, const struct runs *all, enum run_group group,
                             const char *title, bool ascii)
{
    const struct run *first = &all->list[0];
    struct summary_line *lines = xcalloc(first->n + 1, sizeof *lines);
    size_t n = 0;
    for (size_t i = 0; i < first->n; i++)
        if (first->numbers[i].group == group)
            lines[n++] = make_summary_line(all, &first->numbers[i]);
    qsort(lines, n, sizeof *lines, compare_line_totals);
    if (n)
        print_text(out, "  %-*s %10s %11s %11s %12s\n", NAME, title, "calls", "total",
                   "mean of a call", "elements");
    for (size_t i = 0; i < n; i++)
        print_call_row(out, &lines[i], ascii);
    if (n)
        fputc('\n', out);
    free(lines);
}

void summary_text(FILE *out, const struct runs *all, bool ascii)
{
    double others = NAN;
    if (all->n == 0)
        return;
    for (size_t i = 0; i < all->n; i++)
        others = fmax(others, all->list[i].others);
    print_text(out, "\n  %s", all->list[0].command);
    if (all->n > 1)
        fprintf(out, ": %zu runs, means and standard deviations", all->n);
    fputs("\n\n", out);
    print_numbers(out, all, RUN_TIME, ascii);
    print_numbers(out, all, RUN_USED, ascii);
    print_numbers(out, all, RUN_WORK, ascii);
    print_call_table(out, all, RUN_BRICK, "brick", ascii);
    print_call_table(out, all, RUN_KERNEL, "kernel", ascii);
    if (others >= 0.05)
        fprintf(out, "  others had %.0f %% of the machine meanwhile\n", 100 * others);
}
