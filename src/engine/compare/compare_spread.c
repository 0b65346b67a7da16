/* The spread between runs that is assumed when a side has only one run. */
#include <math.h>
#include <string.h>

#include "engine/compare/compare.h"

static const struct metric_spread {
    const char *ids; /* a star at the end stands for any ending; the first row that fits counts */
    double sd;       /* standard deviation between runs, relative to the value */
    double alone; /* added for a single run: this times the share of the machine that others used */
    double others; /* added to all runs of a side alike: this times the same share */
    double uneven; /* added to a difference: this times the difference of those shares */
    double least;  /* lower limit of the spread, in the number's unit */
    const char *source;
} spreads[] = {
    {"elapsed*", 0.03, 0.4, 0.4, 1, 0.002,
     "measured, docs/COMPARE.md: 36 % where others had nine tenths of the machine; half as long "
     "again where they had a sixth more of it"},
    {"wall* path tokens_per_s m:cpu_util", 0.03, 0.4, 0.4, 1, 0, "as elapsed"},
    {"bricks b:*", 0.02, 0.4, 0.4, 1, 0, "times of bricks are elapsed times"},
    {"cpu*", 0.015, 0.15, 0.025, 0.1, 0.0005,
     "measured, docs/COMPARE.md: blocks of five runs differ by 2.9 % beside others' 70 %; 3 to 5 % "
     "more for a whole machine more of them, and 7 % once; single runs beside others' 70 % by 10.5 "
     "%"},
    {"user", 0.015, 0.18, 0.025, 0.1, 0.005, "as cpu"},
    {"system", 0.15, 0.5, 0.1, 0.1, 0.005, "ticks and interrupts that hit it"},
    {"device* k:*", 0.015, 0, 0, 0, 0, "clocks of GPUs move with temperature and power"},
    {"busy", 0.03, 0, 0, 0, 0, "as device, and copies"},
    {"copies t:*", 0.05, 0, 0, 0, 0, "copies share the bus"},
    {"rss*", 0.03, 0, 0, 0, 131072, "randomised layout"},
    {"waits preemptions", 0.5, 1, 1, 1, 5, "others' wake-ups and the scheduler's"},
    {"minor-faults", 0.03, 0, 0, 0, 8, "randomised layout"},
    {"major-faults", 1, 0, 0, 0, 3, "the page cache"},
    {"tokens", 0.001, 0, 0, 0, 0, "what the program says"},
    {"n:*", 0.005, 0, 0, 0, 2, "what the program does"},
    {"c:core/instructions", 0.003, 0, 0, 0, 0,
     "V. Weaver, J. Dongarra, \"Can hardware performance counters produce expected, deterministic "
     "results?\", FHPM 2010: within 0.5 %"},
    {"c:*", 0.05, 0.1, 0.1, 0.1, 10, "caches and predictors, by layout and neighbours"},
    {"m:*", 0.05, 0.1, 0.1, 0.1, 0, "of counters"},
};
static const struct metric_spread unknown = {"", 0.05, 0.5, 0.5, 0.5, 0, "nothing is known"};

static bool fits_metric(const char *ids, const char *id)
{
    for (size_t n; *ids; ids += n + (ids[n] == ' ')) {
        n = strcspn(ids, " ");
        const size_t least = n - (ids[n - 1] == '*');
        if (strncmp(ids, id, least) == 0 && (least < n || id[n] == '\0'))
            return true;
    }
    return false;
}

static const struct metric_spread *find_metric_spread(const char *id)
{
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
        if (fits_metric(spreads[i].ids, id))
            return &spreads[i];
    return &unknown;
}

double compare_load(const char *id, double others, double v)
{
    return isnan(others) ? 0 : find_metric_spread(id)->others * others * fabs(v);
}

double compare_uneven(const char *id, const double loads[2], double v)
{
    double more = fabs(loads[0] - loads[1]);
    return isnan(more) ? 0 : find_metric_spread(id)->uneven * more * fabs(v);
}

/* The share of the machine that others are assumed to use if none was recorded, as in profiles. */
static const double usual_others = 0.5;

double compare_spread(const char *id, double others, double v)
{
    const struct metric_spread *s = find_metric_spread(id);
    others = isnan(others) ? usual_others : others;
    return fmax(hypot(s->sd, s->alone * others) * fabs(v), s->least);
}
