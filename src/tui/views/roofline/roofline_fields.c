/* Fields of a point, for filters. */
#include <math.h>

#include "tui/views/roofline/roofline.h"

static const struct roof_point *of(const void *row)
{
    return ((const struct roofline_item *)row)->p;
}
static const struct roofline_shown *shown_in(const void *row)
{
    return ((const struct roofline_item *)row)->shown;
}
static const char *field_name(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return of(row)->name;
}
static const char *field_backend(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return roofline_roof(shown_in(row), of(row)) ? roofline_roof(shown_in(row), of(row))->name : "";
}
static const char *field_bound(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return of(row)->roof == GRAPH_NONE || isnan(of(row)->distance) ? ""
           : of(row)->memory_bound                                 ? "memory"
                                                                   : "compute";
}
static const char *field_ceiling(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return roofline_bound_name(shown_in(row)->r, of(row));
}
static const char *field_kind(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return node_kind_name(shown_in(row)->g->kind[of(row)->node]);
}
static double field_reached(const void *row)
{
    return (1 - of(row)->distance) * 100;
}
static double field_missing(const void *row)
{
    return of(row)->work ? of(row)->work->nmissing : 0;
}
static double field_intensity(const void *row)
{
    return of(row)->intensity;
}
static double field_flops(const void *row)
{
    return of(row)->flops;
}
static double field_time(const void *row)
{
    return (double)of(row)->total / 1e9;
}

const struct list_field roofline_fields[] = {
    {.name = "name", .help = "brick or kernel", .text = field_name, .plain = true},
    {.name = "backend", .help = "whose roof it is under", .text = field_backend, .plain = true},
    {.name = "bound", .help = "memory or compute", .text = field_bound},
    {.name = "ceiling", .help = "which one binds: HBM, MFMA f16", .text = field_ceiling},
    {.name = "kind", .help = "brick or kernel", .text = field_kind},
    {.name = "reached", .unit = UNIT_PERCENT, .help = "of the roof", .number = field_reached},
    {.name = "missing", .help = "counters that would complete it", .number = field_missing},
    {.name = "intensity",
     .unit = UNIT_FLOP_PER_BYTE,
     .help = "FLOP per byte",
     .number = field_intensity},
    {.name = "flops", .unit = UNIT_FLOP_PER_S, .help = "FLOP/s", .number = field_flops},
    {.name = "time", .unit = UNIT_SECONDS, .help = "of all calls", .number = field_time},
    {.name = NULL},
};
