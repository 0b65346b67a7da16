/* What bench measured, for Prometheus. */
#include <math.h>

#include "export/bench/bench_export.h"
#include "export/openmetrics.h"

struct named_end {
    const char *name, *help;
};

/* An estimate and the ends of its interval, as far as they are known. */
static void add_bench_interval(struct openmetrics *m, const struct named_end names[3],
                               const char *const labels[], const struct interval *i, double scale,
                               enum unit unit)
{
    const double v[] = {i->estimate, i->low, i->high};
    for (int k = 0; k < 3; k++) {
        const struct value value = value_ok(scale * v[k], unit);
        if (isfinite(v[k]))
            openmetrics_add(m, "bench", names[k].name, names[k].help, labels, &value);
    }
}

void bench_write_openmetrics(FILE *out, const struct bench *b)
{
    static const struct named_end times[] = {
        {"median", "median of the times of the runs"},
        {"median_low", "low end of the interval of the median"},
        {"median_high", "high end of the interval of the median"}};
    static const struct named_end ratios[] = {
        {"second_by_first", "time of the second command by that of the first"},
        {"second_by_first_low", "low end of the interval of the second by the first"},
        {"second_by_first_high", "high end of the interval of the second by the first"}};
    struct openmetrics *m = openmetrics_new();
    for (size_t s = 0; s < b->sides; s++) {
        const char *const labels[] = {"side", s ? "b" : "a", "command", b->side[s].name, NULL};
        const struct interval median = bench_median(b, s);
        const struct value runs = value_ok((double)b->side[s].n, UNIT_COUNT);
        add_bench_interval(m, times, labels, &median, 1, UNIT_SECONDS);
        openmetrics_add(m, "bench", "runs", "runs that count", labels, &runs);
    }
    if (b->sides == 2 && bench_comparable(b)) {
        const struct interval factor = bench_factor(b);
        add_bench_interval(m, ratios, NULL, &factor, 100, UNIT_PERCENT);
    }
    openmetrics_write(out, m);
    openmetrics_free(m);
}
