#include "engine/judge_gpu/gpu_series.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/value/stats.h"

void gpu_series_add(struct gpu_series *s, double baseline, double candidate)
{
    LIST_ROOM(s->of[0], s->n, s->cap[0]);
    LIST_ROOM(s->of[1], s->n, s->cap[1]);
    s->of[0][s->n] = baseline;
    s->of[1][s->n++] = candidate;
}

void gpu_series_free(struct gpu_series *s)
{
    free(s->of[0]);
    free(s->of[1]);
    *s = (struct gpu_series){.n = 0};
}

double gpu_series_median(const struct gpu_series *s, int side)
{
    return s->n ? stats_of(s->of[side], s->n).median : NAN;
}

static struct interval shift_of(const struct gpu_series *s, double confidence)
{
    double *d = xcalloc(s->n ? s->n : 1, sizeof *d);
    for (size_t i = 0; i < s->n; i++) /* a clock of 10 ns may say 0 of a short launch */
        d[i] = log(fmax(s->of[1][i], 1e-3)) - log(fmax(s->of[0][i], 1e-3));
    const struct interval shift = interval_of_pairs(d, s->n, 1 - confidence);
    free(d);
    return shift;
}

struct interval gpu_series_interval(const struct gpu_series *s, double confidence)
{
    const struct interval i = shift_of(s, confidence);
    if (s->n == 0)
        return (struct interval){NAN, NAN, NAN};
    return (struct interval){exp(i.estimate), isinf(i.low) ? i.low : exp(i.low), exp(i.high)};
}

enum judge_verdict gpu_series_verdict(const struct gpu_series *s, double confidence, double margin)
{
    static const enum judge_verdict names[] = {[VERDICT_NOT_DECIDED] = JUDGE_NOT_DECIDED,
                                               [VERDICT_FASTER] = JUDGE_FASTER,
                                               [VERDICT_SLOWER] = JUDGE_SLOWER,
                                               [VERDICT_EQUIVALENT] = JUDGE_EQUIVALENT};
    const struct interval i = shift_of(s, confidence);
    return s->n ? names[verdict_of(&i, margin)] : JUDGE_NOT_DECIDED;
}
