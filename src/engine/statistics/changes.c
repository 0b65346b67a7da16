#include "engine/statistics/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/watch.h"
#include "engine/statistics/ranks.h"
#include "engine/statistics/series.h"

const struct change_rule change_rule_usual = {.alpha = 0.01, .least = 0.01, .baseline = 20};

enum { OLD = 20, LEAST_AFTER = 3, LOOK_BACK = 100 };
/* Shifts that are bet on, in standard deviations. The smallest one makes a slow drift of less than
 * half of it a bet that is lost. Two find as much as three: each costs a part of the stake. */
static const double shifts[] = {1.3, 2.0};
enum { SHIFTS = sizeof shifts / sizeof *shifts, UP = 0, DOWN = 1 };
/* No score is higher: two spikes in a row cannot win. */
static const double highest = 2.5;
/* The stake on a change at the j-th look is PATIENCE / ((j + PATIENCE - 1) (j + PATIENCE)), which
 * sums to 1 over all j. */
static const double patience = 100;

/* The runs since the last change. */
struct segment {
    const double *x; /* logarithms */
    size_t n;
    struct ranked free; /* values without their memory */
    struct ranked old;  /* those before the first place where a change was looked for */
    double memory, level;
    size_t next; /* when the memory is estimated again */
    double stakes[2][SHIFTS], rest;
    double means[SHIFTS]; /* mean_factors of so many values */
    size_t means_of;
};

static double score_of(double share)
{
    return fmin(normal_quantile(share), highest);
}

/* What a bet is multiplied by on average over all ranks of n values. It grows with n: beyond 64
 * values the mean for the next multiple of 16 is used, which is on the safe side. */
static const double *mean_factors(struct segment *s, size_t n)
{
    n = n <= 64 ? n : (n + 15) / 16 * 16;
    if (s->means_of == n)
        return s->means;
    s->means_of = n;
    memset(s->means, 0, sizeof s->means);
    for (size_t i = 0; i < n; i++) {
        double z = score_of(((double)i + 0.5) / (double)n);
        for (int k = 0; k < SHIFTS; k++)
            s->means[k] += exp(shifts[k] * z) / (double)n;
    }
    return s->means;
}

static double without_memory(const struct segment *s, size_t i)
{
    return i == 0 ? s->x[i] : s->x[i] - s->memory * (s->x[i - 1] - s->level);
}

static void estimate_memory(struct segment *s, size_t t, size_t baseline)
{
    size_t old = t > baseline + OLD ? t - OLD : baseline;
    s->memory = series_memory(s->x, old);
    s->level = median_of(s->x, old);
    s->next = t + (old < 100 ? 5 : old / 5);
    s->free.n = 0;
    for (size_t i = 0; i < t; i++)
        ranked_add(&s->free, without_memory(s, i));
}

/* Bets on the t-th value. Returns whether a direction has won. */
static bool look_at(struct segment *s, size_t t, const struct change_rule *rule, bool won[2])
{
    if (t >= rule->baseline && t >= s->next)
        estimate_memory(s, t, rule->baseline);
    double share = ranked_add(&s->free, without_memory(s, t));
    won[UP] = won[DOWN] = false;
    if (t < rule->baseline)
        return false;
    double j = (double)(t - rule->baseline + 1);
    double stake = patience / ((j + patience - 1) * (j + patience));
    const double *means = mean_factors(s, s->free.n);
    s->rest -= stake;
    for (int way = UP; way <= DOWN; way++) {
        double z = score_of(way == UP ? share : 1 - share), sum = s->rest;
        for (int k = 0; k < SHIFTS; k++) {
            double *w = &s->stakes[way][k];
            *w = (*w + stake) * exp(shifts[k] * z) / means[k];
            sum += *w / SHIFTS;
        }
        won[way] = sum >= 1 / rule->alpha;
    }
    return won[UP] || won[DOWN];
}

/* --- where the change is --- */

/* Grows with the square near 0, and linearly from 1.5 on (P. Huber, Ann. Math. Stat. 35, 1964). */
static double loss(double z)
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

/* What the level is from each run in [first, t] to t. */
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
            sum -= loss((s->x[i] - (i < j ? before : after[j - first])) / spread);
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

/* Whether what was found is a change that counts, in a direction that has won. */
static bool counts(const struct change *c, const bool won[2], const struct change_rule *rule)
{
    double rise = c->after - c->before;
    return c->found + 1 - c->at >= LEAST_AFTER && fabs(rise) >= log1p(rule->least) &&
           won[rise > 0 ? UP : DOWN];
}

/* The first change of a segment; false: none. */
static bool first_change(const double *x, size_t n, const struct change_rule *rule,
                         struct change *out)
{
    struct segment s = {.x = x, .n = n, .rest = 1};
    bool won[2], found = false;
    for (size_t t = 0; t < n && !found && !watch_given_up(); t++) {
        if (!look_at(&s, t, rule, won))
            continue;
        *out = place_change(&s, t, rule->baseline);
        found = counts(out, won, rule);
    }
    ranked_free(&s.free);
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
