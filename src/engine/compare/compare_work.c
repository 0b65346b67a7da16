/* How much work the runs of two sides did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/compare/compare_impl.h"

/* Programs tell their tokens; calls may differ a little by threads that poll. */
static const double tokens_equal = 0.001, calls_equal = 0.01;

static bool is_work(const struct run_number *x)
{
    return (x->group == RUN_BRICK || x->group == RUN_KERNEL) && !isnan(x->total) &&
           strncmp(x->id, "t:", 2) != 0 && x->within.n > 0;
}

static const struct run *run_at(const struct runs *const of[2], size_t i)
{
    return i < of[0]->n ? &of[0]->list[i] : &of[1]->list[i - of[0]->n];
}

/* The amounts of one number in all runs, by the mean of A's; false: a run lacks it. */
static bool amounts(const char *id, bool calls, const struct runs *const of[2], double *out,
                    double *least)
{
    size_t all = of[0]->n + of[1]->n;
    double mean = 0;
    *least = INFINITY;
    for (size_t i = 0; i < all; i++) {
        const struct run_number *x = run_find(run_at(of, i), id);
        out[i] = !x ? 0 : calls ? (double)x->within.n : x->within.mean;
        if (!(out[i] > 0))
            return false;
        *least = fmin(*least, out[i]);
        mean += i < of[0]->n ? out[i] / (double)of[0]->n : 0;
    }
    for (size_t i = 0; i < all; i++)
        out[i] /= mean;
    return true;
}

/* The median over all bricks and kernels of how often they were called. A change of a few of them
 * is a change of the program, not of its work. */
static bool calls_of_all(const struct runs *const of[2], double *out, double *least)
{
    const struct run *first = run_at(of, 0);
    size_t all = of[0]->n + of[1]->n, n = 0;
    double *one = xcalloc(all, sizeof *one), *ratios = xcalloc(all * first->n + 1, sizeof *ratios);
    double *leasts = xcalloc(first->n + 1, sizeof *leasts);
    for (size_t k = 0; k < first->n; k++) {
        if (!is_work(&first->numbers[k]) ||
            !amounts(first->numbers[k].id, true, of, one, &leasts[n]))
            continue;
        for (size_t i = 0; i < all; i++)
            ratios[i * first->n + n] = one[i];
        n++;
    }
    for (size_t i = 0; i < all && n; i++)
        out[i] = stats_of(&ratios[i * first->n], n).median;
    *least = n ? stats_of(leasts, n).median : 0;
    free(leasts);
    free(one);
    free(ratios);
    return n > 0;
}

static void note_ends(struct compare_work *w, const struct runs *const of[2])
{
    int status = of[0]->list[0].status;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side]->n; i++) {
            w->stopped[side] |= of[side]->list[i].stopped;
            w->ends_differ |= of[side]->list[i].status != status;
        }
}

void compare_work_find(struct compare_work *w, struct compare_units *u,
                       const struct runs *const of[2])
{
    *w = (struct compare_work){.ratio = NAN};
    *u = (struct compare_units){.least = 0};
    if (!of[0]->n || !of[1]->n)
        return;
    size_t na = of[0]->n, nb = of[1]->n;
    double *v = xcalloc(na + nb, sizeof *v), equal = tokens_equal;
    note_ends(w, of);
    if (amounts("tokens", false, of, v, &u->least)) {
        w->by = "tokens";
    } else if (calls_of_all(of, v, &u->least)) {
        w->by = "calls";
        equal = calls_equal;
    }
    if (w->by) {
        w->ratio = 0;
        for (size_t i = 0; i < na + nb; i++) {
            w->differs |= fabs(v[i] - 1) > equal;
            w->ratio += i >= na ? v[i] / (double)nb : 0;
        }
        for (int side = 0; side < 2; side++) {
            u->of[side] = xcalloc(side ? nb : na, sizeof **u->of);
            memcpy(u->of[side], v + (side ? na : 0), (side ? nb : na) * sizeof *v);
        }
    }
    free(v);
}

void compare_units_free(struct compare_units *u)
{
    free(u->of[0]);
    free(u->of[1]);
    *u = (struct compare_units){.least = 0};
}

bool compare_is_total(const struct compare_row *r)
{
    if (r->group == RUN_TIME)
        return true;
    if (r->group == RUN_USED)
        return strncmp(r->id, "rss", 3) != 0;
    return r->group == RUN_WORK && (strncmp(r->id, "c:", 2) == 0 || strcmp(r->id, "bricks") == 0 ||
                                    strcmp(r->id, "tokens") == 0 || strcmp(r->id, "work") == 0);
}

bool compare_work_unlike(const struct compare_work *w)
{
    return w->differs || w->stopped[0] || w->stopped[1] || w->ends_differ;
}

bool compare_work_text(const struct comparison *k, char *out, size_t size)
{
    const struct compare_work *w = &k->work;
    char why[160] = "", done[160] = "how much each did is not known";
    *out = '\0';
    if (!compare_work_unlike(w))
        return false;
    if (w->stopped[0] || w->stopped[1])
        snprintf(why, sizeof why, "--for or a signal ended %s; ",
                 !w->stopped[1]   ? "A"
                 : !w->stopped[0] ? "B"
                                  : "both");
    else if (w->ends_differ)
        snprintf(why, sizeof why, "not all runs ended with one status; ");
    if (w->by)
        snprintf(done, sizeof done,
                 "B did %.4g times A's work (by %s): only time for the same work is compared",
                 w->ratio, w->by);
    snprintf(out, size, "%s%s", why, done);
    return true;
}
