/* A comparison in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compare/compare.h"

static bool is_known_interval(const struct stats_difference *d)
{
    return d->low <= d->high;
}

static bool is_one_run_each(const struct compare_row *r)
{
    return r->runs[0] == 1 && r->runs[1] == 1;
}

/* Why a row has no interval; "" where none is expected. */
static const char *why_no_interval(const struct compare_row *r)
{
    if (r->verdict != COMPARE_TOO_FEW)
        return "";
    return is_one_run_each(r) ? "none: one run each" : "none: too few runs";
}

bool compare_within_runs(const struct compare_row *r)
{
    return r->verdict == COMPARE_TOO_FEW && is_known_interval(&r->within) && fabs(r->a.mean) > 0;
}

void compare_interval_text(const struct compare_row *r, char *out, size_t size)
{
    const bool within = compare_within_runs(r);
    const struct stats_difference *d = within ? &r->within : &r->d;
    const double base = fabs(r->a.mean), widest = fmax(d->high, -d->low);
    const char *mark = within ? "*" : "";
    if (r->basis == COMPARE_BY_ASSUMED && !within)
        mark = "~";
    if (!is_known_interval(d) || !(base > 0))
        snprintf(out, size, "%s", why_no_interval(r));
    else if (widest > 100 * base)
        snprintf(out, size, "wider than 100 x");
    else
        snprintf(out, size, widest < base ? "[%+.1f .. %+.1f]%s" : "[%+.0f .. %+.0f]%s",
                 100 * d->low / base, 100 * d->high / base, mark);
}

/* How many bricks and kernels differ. */
static int differing_parts(const struct comparison *k)
{
    int n = 0;
    for (size_t i = 0; i < k->n; i++)
        n += (k->rows[i].group == RUN_BRICK || k->rows[i].group == RUN_KERNEL) &&
             (k->rows[i].verdict == COMPARE_MORE || k->rows[i].verdict == COMPARE_LESS);
    return n;
}

/* Whether both sides have kernels, and each kernel only one of them. */
static bool has_other_kernels(const struct comparison *k)
{
    size_t only[2] = {0}, both = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (k->rows[i].group != RUN_KERNEL)
            continue;
        only[0] += k->rows[i].verdict == COMPARE_ONLY_A;
        only[1] += k->rows[i].verdict == COMPARE_ONLY_B;
        both += k->rows[i].verdict != COMPARE_ONLY_A && k->rows[i].verdict != COMPARE_ONLY_B;
    }
    return only[0] && only[1] && both == 0;
}

static const char *why_none(const struct comparison *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].group == RUN_TIME && k->rows[i].verdict == COMPARE_TOO_FEW)
            return is_one_run_each(&k->rows[i])
                       ? "one run each: no interval; rooftop compare -- A -- B measures one"
                       : "one run of a side is too few for times of CPUs; A1,A2 B1,B2 are two of "
                         "each";
    return compare_work_unlike(&k->work)
               ? "the runs did not do the same work, or may not have"
               : "no time of a whole run can be compared, see the rows below";
}

void compare_answer_text(const struct comparison *k, char *out, size_t size)
{
    const struct compare_row *r = k->by;
    char interval[48];
    if (k->answer == ANSWER_NONE) {
        snprintf(out, size, "no verdict: %s", why_none(k));
        return;
    }
    compare_interval_text(r, interval, sizeof interval);
    int parts = differing_parts(k);
    if (k->answer != ANSWER_SAME)
        snprintf(out, size, "B is %s%s: %s %+.1f %% %s", compare_answer_name(k->answer),
                 has_other_kernels(k) ? ", but no kernel is in both" : "", r->label, r->change,
                 interval);
    else if (parts)
        snprintf(out, size,
                 "no difference in total found (%s %+.1f %% %s), but %d of its parts differ",
                 r->label, r->change, interval, parts);
    else
        snprintf(out, size,
                 "no difference found: %s %+.1f %% %s; one of %.1f %% or more would have been",
                 r->label, r->change, interval, compare_margin(r));
}

/* The spread of a single run hides a smaller difference of shares of the machine. */
static const double uneven_least = 0.05;

bool compare_uneven_text(const struct comparison *k, int cells, char *out, size_t size)
{
    const struct compare_side *s = k->side;
    *out = '\0';
    /* also false if a load is unknown */
    if (!k->by || !(fabs(s[0].load - s[1].load) >= uneven_least))
        return false;
    const char *const advice = "; A and B in turns would be narrower";
    int n = snprintf(out, size,
                     "others had %.0f %% of the machine in A, %.0f %% in B: the intervals allow "
                     "for that",
                     100 * s[0].load, 100 * s[1].load);
    if (n + (int)strlen(advice) <= cells)
        snprintf(out + n, size - (size_t)n, "%s", advice);
    return true;
}
