/* Fields of an instruction of a thread trace, for filters. */
#include "tui/views/att/att.h"

double att_time_share(const struct att_digest *d, const struct att_row *r)
{
    const struct att_totals *t = &d->totals;
    return 100 * att_share(att_row_weight(t, r).time, att_sum_weight(t, &t->all).time);
}

double att_stall_share(const struct att_digest *d, const struct att_row *r)
{
    struct att_weight w = att_row_weight(&d->totals, r);
    return 100 * att_share(w.stall, w.time);
}

/* --- filter --- */

static const struct att_row *of(const void *row)
{
    return ((const struct att_item *)row)->r;
}
static const struct att_digest *digest_of(const void *row)
{
    return ((const struct att_item *)row)->d;
}
static const char *field_instruction(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return of(row)->isa;
}
static const char *field_source(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return of(row)->source;
}
static const char *field_kind(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return att_category_name(of(row)->category);
}
static double field_time(const void *row)
{
    return att_time_share(digest_of(row), of(row));
}
static double field_cycles(const void *row)
{
    return (double)of(row)->latency;
}
static double field_hits(const void *row)
{
    return (double)of(row)->hits;
}
static double field_per_hit(const void *row)
{
    return att_per_hit(of(row));
}
static double field_stall(const void *row)
{
    return att_stall_share(digest_of(row), of(row));
}
static double field_idle(const void *row)
{
    return (double)of(row)->idle;
}
const struct list_field att_fields[] = {
    {.name = "instruction", .help = "its text", .text = field_instruction, .plain = true},
    {.name = "source", .help = "file and line", .text = field_source, .plain = true},
    {.name = "kind", .help = "VALU, VMEM, LDS, …", .text = field_kind, .plain = true},
    {.name = "time", .unit = UNIT_PERCENT, .help = "of all cycles", .number = field_time},
    {.name = "cycles", .unit = UNIT_COUNT, .help = "latency, all hits", .number = field_cycles},
    {.name = "hits", .unit = UNIT_COUNT, .help = "executions", .number = field_hits},
    {.name = "perhit", .unit = UNIT_COUNT, .help = "cycles of one", .number = field_per_hit},
    {.name = "stall", .unit = UNIT_PERCENT, .help = "of its cycles", .number = field_stall},
    {.name = "idle", .unit = UNIT_COUNT, .help = "cycles before it", .number = field_idle},
    {.name = NULL},
};
