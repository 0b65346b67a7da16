/* What tap.c (opening) and tap_choose.c (choosing) share. */
#ifndef ROOFTOP_BACKENDS_SAMPLER_TAP_IMPL_H
#define ROOFTOP_BACKENDS_SAMPLER_TAP_IMPL_H

#include "backends/perf_common/explain.h"
#include "backends/perf_event/encoding.h"
#include "backends/sampler/tap.h"

struct tap_opening {
    struct tap *s;
    const struct tap_config *c;
    struct perf_encoding *cycles; /* one for each kind of core */
    size_t ncycles;
    size_t ring_bytes;
    bool ring_refused; /* the limit of locked memory was exceeded */
};

/* e NULL: cpu-clock */
void tap_fill_attr(const struct tap_opening *o, const struct perf_encoding *e,
                   struct perf_event_attr *a);

/*
 * Connects an event to its CPU's ring, which the first event of the CPU creates. Returns 0 or
 * -errno.
 */
int tap_attach(struct tap_opening *o, int fd, int cpu, bool of_task);

void tap_choose_rate(struct tap_opening *o);
void tap_choose_callgraph(struct tap_opening *o);
void tap_choose_event(struct tap_opening *o);
/* Stores the reason for an errno in s->why and help, unless there is one already. */
void tap_say(struct tap *s, const struct tap_config *c, int err, enum explain_event event,
             const char *prefix);

#endif
