/* Fields of a metric or counter, for filters. */
#include <math.h>
#include <stdio.h>

#include "engine/live/metric.h"
#include "tui/views/counters/counters.h"

static const struct value *value_of(const struct counters_row *r)
{
    return r->metric ? &r->metric->value : &r->counter->rate;
}

static double counter_value(const void *row)
{
    const struct value *v = value_of(row);
    return v->validity == VALUE_OK ? v->v : NAN;
}

static double counted(const void *row)
{
    const struct value *v = value_of(row);
    return v->validity == VALUE_OK ? 100 * (double)v->running : NAN;
}

static double missing(const void *row)
{
    return value_of(row)->validity == VALUE_MISSING;
}

static double scaled(const void *row)
{
    return (value_of(row)->flags & VALUE_SCALED) != 0;
}

static double group(const void *row)
{
    const struct counters_row *r = row;
    return r->counter && r->counter->group >= 0 ? r->counter->group : NAN;
}

static const char *counter_name(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct counters_row *r = row;
    (void)buf;
    return r->metric ? r->metric->def->label : r->counter->name;
}

static const char *id(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct counters_row *r = row;
    if (r->metric)
        return r->metric->def->id;
    snprintf(buf, FIELD_TEXT_MAX, "%s/%s", r->counter->set, r->counter->name);
    return buf;
}

static const char *counter_set(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct counters_row *r = row;
    (void)buf;
    return r->metric ? r->metric->def->set : r->counter->set;
}

static const char *what(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct counters_row *r = row;
    (void)buf;
    return r->metric ? r->metric->def->what : r->counter->desc;
}

static const char *unit(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return unit_name((enum unit)value_of(row)->unit);
}

static const char *source(const void *row, char buf[FIELD_TEXT_MAX])
{
    const struct counters_row *r = row;
    (void)buf;
    return r->counter ? r->counter->source : "metric";
}

const struct list_field counters_fields[] = {
    {.name = "value",
     .unit = UNIT_COUNT,
     .help = "the metric, or events per second",
     .number = counter_value},
    {.name = "counted",
     .unit = UNIT_PERCENT,
     .help = "share of the time it was counted",
     .number = counted},
    {.name = "missing", .help = "1 for what could not be measured", .number = missing},
    {.name = "scaled", .help = "1 for what was scaled up", .number = scaled},
    {.name = "group", .help = "number of the group it was counted in", .number = group},
    {.name = "name", .help = "its name", .text = counter_name, .plain = true},
    {.name = "id", .help = "the metric's id, or SET/EVENT", .text = id, .plain = true},
    {.name = "set", .help = "set of events", .text = counter_set},
    {.name = "unit", .help = "unit of the value", .text = unit},
    {.name = "source", .help = "perf, proc, metric", .text = source, .plain = true},
    {.name = "what", .help = "the sentence that tells what it is", .text = what, .plain = true},
    {.name = NULL},
};
