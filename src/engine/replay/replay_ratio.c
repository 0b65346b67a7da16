#include "engine/replay/replay_ratio.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/value/stats.h"

#define ALPHA 0.05

static struct stats of_logarithms(const double *us, size_t n)
{
    double *logs = xcalloc(n ? n : 1, sizeof *logs);
    for (size_t i = 0; i < n; i++)
        logs[i] = us[i] > 0 ? log(us[i]) : NAN;
    const struct stats s = stats_of(logs, n);
    free(logs);
    return s;
}

struct replay_ratio replay_ratio_of(const double *first, size_t nfirst, const double *other,
                                    size_t nother)
{
    const struct stats a = of_logarithms(first, nfirst), b = of_logarithms(other, nother);
    const struct stats_difference d = stats_compare(&a, &b);
    const bool some = a.n > 0 && b.n > 0;
    return (struct replay_ratio){
        .ratio = some ? exp(d.difference) : NAN, .low = exp(d.low), .high = exp(d.high), .p = d.p};
}

bool replay_ratio_tested(const struct replay_ratio *r)
{
    return r->low <= r->high;
}

const char *replay_ratio_verdict(const struct replay_ratio *r)
{
    if (!replay_ratio_tested(r))
        return "too few";
    if (r->p >= ALPHA)
        return "same";
    return r->ratio < 1 ? "faster" : "slower";
}
