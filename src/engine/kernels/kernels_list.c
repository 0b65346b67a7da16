#include "engine/kernels/kernels_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const kernels_sorts[] = {"time", "calls",       "mean",  "min",       "max",
                                     "sd",   "criticality", "slack", "occupancy", "vgprs",
                                     "lds",  "label",       "name",  NULL};

/* --- fields --- */

static const struct kernel_row *of(const void *row)
{
    return row;
}

static double known_or_nan(uint32_t v)
{
    return v == TRACE_UNKNOWN ? NAN : v;
}

static double field_calls(const void *row)
{
    return (double)of(row)->sum.calls;
}
static double field_time(const void *row)
{
    return kernel_ns(&of(row)->sum, of(row)->sum.total) / 1e9;
}
static double field_mean(const void *row)
{
    return of(row)->mean / 1e9;
}
static double field_min(const void *row)
{
    return kernel_ns(&of(row)->sum, of(row)->sum.min) / 1e9;
}
static double field_max(const void *row)
{
    return kernel_ns(&of(row)->sum, of(row)->sum.max) / 1e9;
}
static double field_sd(const void *row)
{
    return of(row)->sd / 1e9;
}
static double field_share(const void *row)
{
    return 100 * of(row)->share;
}
static double field_criticality(const void *row)
{
    return 100 * of(row)->criticality;
}
static double field_slack(const void *row)
{
    return kernel_slack_least(row) / 1e9;
}
static double field_occupancy(const void *row)
{
    return 100 * of(row)->occupancy.waves / of(row)->occupancy.most;
}
static double field_vgprs(const void *row)
{
    return known_or_nan(of(row)->shape.vgprs);
}
static double field_agprs(const void *row)
{
    return known_or_nan(of(row)->shape.accum_vgprs);
}
static double field_sgprs(const void *row)
{
    return known_or_nan(of(row)->shape.sgprs);
}
static double field_lds(const void *row)
{
    return known_or_nan(of(row)->shape.lds_bytes);
}
static double field_scratch(const void *row)
{
    return known_or_nan(of(row)->shape.scratch_bytes);
}
static const char *field_name(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return of(row)->name;
}
static const char *field_kind(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return kernel_kind_name(row);
}
static const char *field_shape(const void *row, char buf[QUERY_TEXT_MAX])
{
    return kernel_shape_text(&of(row)->shape, of(row)->words, buf, QUERY_TEXT_MAX);
}
static const char *field_arch(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return of(row)->arch;
}
static const char *field_limit(const void *row, char buf[QUERY_TEXT_MAX])
{
    return gpu_say(of(row)->words, occupancy_limit_name(of(row)->occupancy.limit), buf,
                   QUERY_TEXT_MAX);
}
static const char *field_label(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return bottleneck_id(of(row)->label.label);
}
static const char *field_confidence(const void *row, char buf[QUERY_TEXT_MAX])
{
    (void)buf;
    return confidence_name(of(row)->label.confidence);
}

const struct query_field kernels_fields[] = {
    {"name", NULL, UNIT_NONE, "kernel or copy", NULL, field_name, true},
    {"kind", NULL, UNIT_NONE, "kernel, copy", NULL, field_kind, false},
    {"label", NULL, UNIT_NONE, "what bounds it: host, memory-bandwidth…", NULL, field_label, false},
    {"confidence", NULL, UNIT_NONE, "of the label: low, medium, high", NULL, field_confidence,
     false},
    {"shape", NULL, UNIT_NONE, "workgroups of work-items", NULL, field_shape, false},
    {"arch", NULL, UNIT_NONE, "of its device: gfx942, sm_90", NULL, field_arch, false},
    {"limit", NULL, UNIT_NONE, "what limits occupancy: VGPR, LDS, workgroup, slots", NULL,
     field_limit, false},
    {"calls", NULL, UNIT_COUNT, "how often it ran", field_calls, NULL, false},
    {"time", "total", UNIT_SECONDS, "of all calls", field_time, NULL, false},
    {"mean", NULL, UNIT_SECONDS, "of a call", field_mean, NULL, false},
    {"min", NULL, UNIT_SECONDS, "the shortest call", field_min, NULL, false},
    {"max", NULL, UNIT_SECONDS, "the longest call", field_max, NULL, false},
    {"sd", NULL, UNIT_SECONDS, "standard deviation of calls", field_sd, NULL, false},
    {"share", NULL, UNIT_PERCENT, "of the time of devices", field_share, NULL, false},
    {"criticality", "path", UNIT_PERCENT, "of the critical path", field_criticality, NULL, false},
    {"slack", NULL, UNIT_SECONDS, "the least of its calls: how much longer it could take",
     field_slack, NULL, false},
    {"occupancy", NULL, UNIT_PERCENT, "waves that fit, of the slots", field_occupancy, NULL, false},
    {"vgprs", NULL, UNIT_COUNT, "vector registers of a work-item", field_vgprs, NULL, false},
    {"agprs", NULL, UNIT_COUNT, "accumulation registers", field_agprs, NULL, false},
    {"sgprs", NULL, UNIT_COUNT, "scalar registers of a wave", field_sgprs, NULL, false},
    {"lds", NULL, UNIT_BYTES, "LDS of a workgroup", field_lds, NULL, false},
    {"scratch", NULL, UNIT_BYTES, "scratch of a work-item", field_scratch, NULL, false},
    {0},
};

/* --- order --- */

struct kernels_order {
    const struct kernel_row *rows;
    enum kernels_sort sort;
    int sign;
};

/* Unknown values count as the smallest. */
static int most_first(double a, double b)
{
    a = isnan(a) ? -1 : a;
    b = isnan(b) ? -1 : b;
    return a > b ? -1 : a < b;
}

static int compare_kernels(const struct kernel_row *a, const struct kernel_row *b,
                           enum kernels_sort sort)
{
    static double (*const numbers[KERNELS_SORTS])(const void *) = {
        [KERNELS_TIME] = field_time,
        [KERNELS_CALLS] = field_calls,
        [KERNELS_MEAN] = field_mean,
        [KERNELS_MIN] = field_min,
        [KERNELS_MAX] = field_max,
        [KERNELS_DEVIATION] = field_sd,
        [KERNELS_CRITICALITY] = field_criticality,
        [KERNELS_SLACK] = field_slack,
        [KERNELS_VGPRS] = field_vgprs,
        [KERNELS_LDS] = field_lds,
    };
    double x, y;
    switch (sort) {
    case KERNELS_NAME:
        return strcmp(a->name, b->name);
    case KERNELS_LABEL:
        return strcmp(bottleneck_name(a->label.label), bottleneck_name(b->label.label));
    case KERNELS_OCCUPANCY:
        x = field_occupancy(a), y = field_occupancy(b);
        return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
    default:
        return most_first(numbers[sort](a), numbers[sort](b));
    }
}

static int order(const void *x, const void *y, void *ctx)
{
    const struct kernels_order *o = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int c = o->sign * compare_kernels(&o->rows[a], &o->rows[b], o->sort);
    return c ? c : (a > b) - (a < b); /* rows are in order of time */
}

uint32_t kernels_list(const struct kernel_table *table, const struct query *query,
                      enum kernels_sort sort, bool reverse, uint32_t *out)
{
    uint32_t n = 0;
    struct kernels_order o = {table->rows, sort, reverse ? -1 : 1};
    for (uint32_t i = 0; i < table->n; i++)
        if (query_match(query, &table->rows[i]))
            out[n++] = i;
    if (n)
        qsort_r(out, n, sizeof *out, order, &o);
    return n;
}
