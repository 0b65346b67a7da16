/* The spread between runs that is assumed when a side has only one run. */
#include <math.h>
#include <string.h>

#include "engine/compare/compare.h"

static const struct metric_spread {
    const char *id; /* a star at the end stands for any ending; the first row that matches counts */
    double sd;      /* standard deviation between runs, relative to the value */
    double alone; /* added for a single run: this times the share of the machine that others used */
    double others; /* added for the runs of a side, alike: the same */
    double uneven; /* added to a difference: this times the difference of those shares */
    double least;  /* lower limit of the spread, in the number's unit */
    const char *source;
} spreads[] = {
    {"elapsed*", 0.03, 0.4, 0.4, 1, 0.002,
     "measured, docs/COMPARE.md: 36 % where others had nine tenths of the machine; half as long "
     "again where they had a sixth more of it"},
    {"wall*", 0.03, 0.4, 0.4, 1, 0, "as elapsed"},
    {"path", 0.03, 0.4, 0.4, 1, 0, "as elapsed"},
    {"cpu*", 0.015, 0.15, 0.025, 0.1, 0.0005,
     "measured, docs/COMPARE.md: blocks of five runs differ by 2.9 % beside others' 70 %; 3 to 5 % "
     "more for a whole machine more of them, and 7 % once; single runs beside others' 70 % by 10.5 "
     "%"},
    {"user", 0.015, 0.18, 0.025, 0.1, 0.005, "as cpu"},
    {"bricks", 0.02, 0.4, 0.4, 1, 0, "times of bricks are elapsed times"},
    {"device*", 0.015, 0, 0, 0, 0, "clocks of GPUs move with temperature and power"},
    {"system", 0.15, 0.5, 0.1, 0.1, 0.005, "ticks and interrupts that hit it"},
    {"rss*", 0.03, 0, 0, 0, 131072, "randomised layout"},
    {"waits", 0.5, 1, 1, 1, 5, "others' wake-ups"},
    {"preemptions", 0.5, 1, 1, 1, 5, "the scheduler's"},
    {"minor-faults", 0.03, 0, 0, 0, 8, "randomised layout"},
    {"major-faults", 1, 0, 0, 0, 3, "the page cache"},
    {"tokens", 0.001, 0, 0, 0, 0, "what the program says"},
    {"tokens_per_s", 0.03, 0.4, 0.4, 1, 0, "as elapsed"},
    {"c:core/instructions", 0.003, 0, 0, 0, 0,
     "V. Weaver, J. Dongarra, \"Can hardware performance counters produce expected, deterministic "
     "results?\", FHPM 2010: within 0.5 %"},
    {"c:*", 0.05, 0.1, 0.1, 0.1, 10, "caches and predictors, by layout and neighbours"},
    {"m:cpu_util", 0.03, 0.4, 0.4, 1, 0, "as elapsed"},
    {"m:*", 0.05, 0.1, 0.1, 0.1, 0, "of counters"},
    {"b:*", 0.02, 0.4, 0.4, 1, 0, "as bricks"},
    {"n:*", 0.005, 0, 0, 0, 2, "what the program does"},
    {"busy", 0.03, 0, 0, 0, 0, "as device, and copies"},
    {"copies", 0.05, 0, 0, 0, 0, "copies share the bus"},
    {"t:*", 0.05, 0, 0, 0, 0, "copies share the bus"},
    {"k:*", 0.015, 0, 0, 0, 0, "as device"},
    {"*", 0.05, 0.5, 0.5, 0.5, 0, "nothing is known"},
};

static bool fits_metric(const struct metric_spread *s, const char *id)
{
    size_t n = strlen(s->id);
    return s->id[n - 1] == '*' ? strncmp(s->id, id, n - 1) == 0 : strcmp(s->id, id) == 0;
}

static const struct metric_spread *spread_of(const char *id)
{
    const struct metric_spread *s = spreads;
    while (!fits_metric(s, id))
        s++;
    return s;
}

double compare_load(const char *id, double others, double v)
{
    return isnan(others) ? 0 : spread_of(id)->others * others * fabs(v);
}

double compare_uneven(const char *id, const double loads[2], double v)
{
    double more = fabs(loads[0] - loads[1]);
    return isnan(more) ? 0 : spread_of(id)->uneven * more * fabs(v);
}

/* The share of the machine that others used where nothing recorded it, as in a profile. */
static const double usual_others = 0.5;

double compare_spread(const char *id, double others, double v)
{
    const struct metric_spread *s = spread_of(id);
    others = isnan(others) ? usual_others : others;
    return fmax(hypot(s->sd, s->alone * others) * fabs(v), s->least);
}
