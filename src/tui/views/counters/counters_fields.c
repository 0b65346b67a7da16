/* Fields of a metric or counter, for filters. */
#include <math.h>
#include <stdio.h>

#include "engine/live/metric.h"
#include "tui/views/counters/counters.h"

static const struct value *counter_value_of(const struct counters_row *r)
{
    return r->metric ? &r->metric->value : &r->counter->rate;
}

static bool is_counter_measured(const struct counters_row *r)
{
    return counter_value_of(r)->validity == VALUE_OK;
}

static const char *event_id(const struct counter *k, char buf[FIELD_TEXT_MAX])
{
    snprintf(buf, FIELD_TEXT_MAX, "%s/%s", k->set, k->name);
    return buf;
}

#define LIST_ROW   struct counters_row
#define LIST_FILE  "tui/views/counters/counters_fields.def"
#define LIST_TABLE counters_fields
#include "engine/value/list_field_table.h"
