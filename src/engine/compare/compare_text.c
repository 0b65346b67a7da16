/* A comparison in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compare/compare.h"

void compare_interval_text(const struct compare_row *r, char *out, size_t size)
{
    double base = fabs(r->a.mean), widest = fmax(r->d.high, -r->d.low);
    if (r->d.low > r->d.high || !(base > 0) || widest > 100 * base)
        *out = '\0';
    else
        snprintf(out, size, widest < base ? "[%+.1f .. %+.1f]%s" : "[%+.0f .. %+.0f]%s",
                 100 * r->d.low / base, 100 * r->d.high / base,
                 r->basis == COMPARE_BY_ASSUMED ? "~" : "");
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

static const char *why_none(const struct comparison *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].group == RUN_TIME && k->rows[i].verdict == COMPARE_TOO_FEW)
            return "one run is too few for times of CPUs, A1,A2 B1,B2 are two of each side";
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
        snprintf(out, size, "B is %s: %s %+.1f %% %s", compare_answer_name(k->answer), r->label,
                 r->change, interval);
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
