#include "engine/live/watched_work.h"

#include <math.h>

/* The value of a metric, or NAN with the reason in *why. */
static double read_measured_metric(const struct snapshot *s, const char *id, const char **why)
{
    const struct metric *m = snapshot_metric(s, id);
    if (m && m->value.validity != VALUE_MISSING)
        return m->value.v;
    *why = m && m->value.why ? m->value.why : "no counters are read";
    return NAN;
}

struct watched_work watched_work_of(const struct snapshot *s)
{
    const char *no_flops = NULL, *no_bytes = NULL;
    struct watched_work w = {.flops = read_measured_metric(s, "flops", &no_flops)};
    double reads = read_measured_metric(s, "dram_read", &no_bytes);
    double writes = read_measured_metric(s, "dram_write", &no_bytes);
    w.bytes = reads + writes;
    w.reads = w.bytes > 0 ? reads / w.bytes : NAN;
    w.intensity = w.flops > 0 && w.bytes > 0 ? w.flops / w.bytes : NAN;
    w.why = no_flops ? no_flops : no_bytes;
    w.which = no_flops ? "FLOP/s" : "DRAM traffic";
    return w;
}
