/* What tap.c (opening) and tap_choose.c (what is opened) share. */
#ifndef ROOFTOP_BACKENDS_SAMPLER_TAP_IMPL_H
#define ROOFTOP_BACKENDS_SAMPLER_TAP_IMPL_H

#include "backends/perf_event/encoding.h"
#include "backends/perf_common/explain.h"
#include "backends/sampler/tap.h"

struct opening {
    struct tap *s;
    const struct tap_config *c;
    struct perf_encoding *cycles; /* one a kind of core */
    size_t ncycles;
    size_t ring_bytes;
    bool ring_refused; /* the limit of locked memory */
};

void tap_fill_attr(const struct opening *o, const struct perf_encoding *e,
                   struct perf_event_attr *a); /* e: NULL = cpu-clock */

/* Gives an event its ring, which is made with the first event of a CPU. */
int tap_attach(struct opening *o, int fd, int cpu, bool of_task);

void tap_choose_rate(struct opening *o);
void tap_choose_callgraph(struct opening *o);
void tap_choose_event(struct opening *o);
/* The reason for an errno into s->why and help, unless one is there already. */
void tap_say(struct tap *s, const struct tap_config *c, int err, enum explain_event event,
             const char *prefix);

#endif
