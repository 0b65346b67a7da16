#include "engine/statistics/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/watch.h"
#include "engine/statistics/ranks.h"
#include "engine/statistics/series.h"

const struct change_rule change_rule_usual = {.alpha = 0.02, .least = 0.01, .baseline = 20};

enum { LEAST_AFTER = 3, LOOK_BACK = 100, UP = 0, DOWN = 1 };
/* The last `runs` runs are compared with at most `base` runs before them, at every `every`-th
 * look, with a share of the significance level. A slow drift long ago is outside of the
 * comparison; the last window is for strong drifts, and with a larger share it would also find
 * slow ones. */
static const struct {
    size_t runs, base, every;
    double share;
} windows[] = {{5, 200, 1, 0.333}, {10, 200, 1, 0.333}, {20, 200, 1, 0.333}, {100, 400, 10, 0.001}};
enum { WINDOWS = sizeof windows / sizeof *windows, MEMORY_OF = 2, FEWEST = 8, LARGEST = 400 };
/* Scores are limited, so that two spikes in succession raise no alarm. */
static const double highest = 2.5;
/* The autocorrelation is assumed to be `usual`, with the weight of that many runs, until the
 * series shows another; it is estimated again after so many looks. */
static const double usual = 0.2, belief = 30;
enum { MEMORY_LOOKS = 10 };
/* The significance level of the j-th look is PATIENCE / ((j + PATIENCE - 1) (j + PATIENCE)),
 * which sums to 1 over all j. */
static const double patience = 100;

/* The runs since the last change. */
struct segment {
    const double *x;             /* logarithms */
    struct ranked base[WINDOWS]; /* of each window */
    struct ranked old;           /* the runs before the first look for a change */
    double memory;
    struct known {
        size_t n;
        double scores[2 * LARGEST + 1];
    } known[WINDOWS];
};

/* The windows now end with the t-th run. */
static void move_windows(struct segment *s, size_t t)
{
    for (int k = 0; k < WINDOWS; k++) {
        if (t < windows[k].runs)
            continue;
        ranked_add(&s->base[k], s->x[t - windows[k].runs]);
        if (s->base[k].n > windows[k].base)
            ranked_drop(&s->base[k], s->x[t - windows[k].runs - windows[k].base]);
    }
}

/* The autocorrelation of the runs before a window: a change itself must not count as
 * autocorrelation. */
static double estimate_memory(const struct segment *s, size_t t)
{
    size_t m = s->base[MEMORY_OF].n, end = m ? t + 1 - windows[MEMORY_OF].runs : 0;
    double seen = series_correlation(s->x + end - m, m);
    return fmin(fmax(((double)m * seen + belief * usual) / ((double)m + belief), 0), 0.95);
}

/* Student's quantile from the normal one (R. Fisher, E. Cornish, Technometrics 2, 1960). */
static double student_quantile(double z, double df)
{
    double zz = z * z;
    return z + z * (zz + 1) / (4 * df) + z * (5 * zz * zz + 16 * zz + 3) / (96 * df * df);
}

/* The normal score of x among n other values. Computed scores are kept, because computing them
 * is most of the time. */
static double score_among(const struct ranked *base, struct known *known, double x)
{
    double n = (double)base->n, place = ranked_share(base, x) * n;
    if (known->n != base->n)
        for (size_t i = 0; i <= 2 * base->n; i++)
            known->scores[i] = NAN;
    known->n = base->n;
    double *score = &known->scores[lround(2 * place)];
    if (isnan(*score))
        *score = normal_quantile((place + 0.5) / (n + 1));
    return *score;
}

/* Tests whether the k-th window that ends with the t-th run is above, or below, its base. level:
 * significance level of this test. */
static void test_window(struct segment *s, int k, size_t t, double level, bool won[2])
{
    const struct ranked *base = &s->base[k];
    double w = (double)windows[k].runs, m = (double)base->n, sums[2] = {0};
    if (base->n < FEWEST)
        return;
    for (size_t i = t + 1 - windows[k].runs; i <= t; i++) {
        double score = score_among(base, &s->known[k], s->x[i]);
        sums[UP] += fmin(score, highest);
        sums[DOWN] += fmin(-score, highest);
    }
    double z = -normal_quantile(level * windows[k].share);
    double deviation = sqrt(w * (1 + w / m) * (1 + s->memory) / (1 - s->memory));
    for (int way = UP; way <= DOWN; way++)
        won[way] = won[way] || sums[way] > student_quantile(z, m - 1) * deviation;
}

/* Tests the windows that end with the t-th run. Returns whether a change in one direction was
 * found. */
static bool test_windows_at(struct segment *s, size_t t, const struct change_rule *rule,
                            bool won[2])
{
    won[UP] = won[DOWN] = false;
    move_windows(s, t);
    if (t < rule->baseline)
        return false;
    if ((t - rule->baseline) % MEMORY_LOOKS == 0)
        s->memory = estimate_memory(s, t);
    double j = (double)(t - rule->baseline + 1);
    double level = rule->alpha * patience / ((j + patience - 1) * (j + patience));
    for (int k = 0; k < WINDOWS; k++)
        if ((t - rule->baseline) % windows[k].every == 0)
            test_window(s, k, t, level, won);
    return won[UP] || won[DOWN];
}

/* --- where the change is --- */

/* Grows with the square near 0, and linearly from 1.5 on (P. Huber, Ann. Math. Stat. 35, 1964). */
static double robust_loss_of(double z)
{
    z = fabs(z);
    return z < 1.5 ? z * z : 3 * z - 2.25;
}

/* The median distance of values from their median, as a standard deviation. */
static double spread_of(const struct ranked *r, double level)
{
    size_t right = 0, left, taken = 0;
    double last = 0, before = 0;
    while (right < r->n && r->v[right] < level)
        right++;
    for (left = right; taken <= r->n / 2; taken++) { /* the nearest first */
        bool down =
            right == r->n || (left > 0 && fabs(r->v[left - 1] - level) < fabs(r->v[right] - level));
        before = last;
        last = fabs(r->v[down ? --left : right++] - level);
    }
    return fmax(1.4826 * (r->n % 2 ? last : (before + last) / 2), 1e-9);
}

/* The levels of the runs from each run in [first, t] to t. */
static void fill_after(double *after, const struct segment *s, size_t first, size_t t)
{
    struct ranked r = {0};
    for (size_t j = t + 1; j-- > first;) {
        ranked_add(&r, s->x[j]);
        after[j - first] = ranked_median(&r);
    }
    ranked_free(&r);
}

/* The run from which on another level fits best (D. Hinkley, Biometrika
 * 57, 1970; with a loss that spikes do not dominate: P. Fearnhead, G. Rigaill, J. Am. Stat. Assoc.
 * 114, 2019). A level that changed too little to count is placed again at every run, so no series
 * is sorted here. */
static struct change place_change(struct segment *s, size_t t, size_t baseline)
{
    size_t first = t > baseline + LOOK_BACK ? t - LOOK_BACK : baseline / 2;
    struct change best = {.at = t, .found = t};
    while (s->old.n < first)
        ranked_add(&s->old, s->x[s->old.n]);
    double gain = -INFINITY, spread = spread_of(&s->old, ranked_median(&s->old));
    double *after = xcalloc(t + 1 - first, sizeof *after);
    struct ranked r = {.v = xcalloc(t + 1, sizeof *r.v), .n = first, .cap = t + 1};
    memcpy(r.v, s->old.v, first * sizeof *r.v);
    fill_after(after, s, first, t);
    for (size_t j = first; j <= t; j++) {
        double before = ranked_median(&r), sum = 0;
        for (size_t i = first; i <= t; i++)
            sum -= robust_loss_of((s->x[i] - (i < j ? before : after[j - first])) / spread);
        if (sum > gain)
            best =
                (struct change){.at = j, .found = t, .before = before, .after = after[j - first]};
        gain = fmax(gain, sum);
        ranked_add(&r, s->x[j]);
    }
    ranked_free(&r);
    free(after);
    return best;
}

/* Whether a change is large enough and in a direction that the test has found. */
static bool is_change_counted(const struct change *c, const bool won[2],
                              const struct change_rule *rule)
{
    double rise = c->after - c->before;
    return c->found + 1 - c->at >= LEAST_AFTER && fabs(rise) >= log1p(rule->least) &&
           won[rise > 0 ? UP : DOWN];
}

/* The first change of a segment; false: none. */
static bool first_change(const double *x, size_t n, const struct change_rule *rule,
                         struct change *out)
{
    struct segment s = {.x = x};
    bool won[2], found = false;
    for (size_t t = 0; t < n && !found && !watch_given_up(); t++) {
        if (!test_windows_at(&s, t, rule, won))
            continue;
        *out = place_change(&s, t, rule->baseline);
        found = is_change_counted(out, won, rule);
    }
    for (int k = 0; k < WINDOWS; k++)
        ranked_free(&s.base[k]);
    ranked_free(&s.old);
    return found;
}

size_t changes_find(const double *v, size_t n, const struct change_rule *rule, struct change **out)
{
    size_t found = 0, cap = 0, begin = 0;
    struct change c;
    double *x = xcalloc(n ? n : 1, sizeof *x);
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        x[i] = log(v[i]);
    while (begin < n && first_change(x + begin, n - begin, rule, &c)) {
        c.at += begin;
        c.found += begin;
        c.before = exp(c.before);
        c.after = exp(c.after);
        begin = c.at;
        LIST_ROOM(*out, found, cap);
        (*out)[found++] = c;
    }
    free(x);
    return found;
}
