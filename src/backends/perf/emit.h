/* Turns a tally into counters of a snapshot: units, rates, reasons. */
#ifndef ROOFTOP_BACKENDS_PERF_EMIT_H
#define ROOFTOP_BACKENDS_PERF_EMIT_H

#include "backends/perf/events.h"
#include "backends/perf_common/context.h"
#include "backends/perf_common/tally.h"
#include "engine/live/snapshot.h"

struct emit_input {
    const struct event_table *events;
    const struct perf_context *context;
    enum target_kind kind;
    uid_t owner;         /* TARGET_PIDS: the owner of the process */
    unsigned long files; /* descriptors needed; 0: unknown */
    double interval_s;   /* 0: first sample, every value is pending */
    bool attaching; /* threads are still being attached: values are pending rather than missing */
    const char *coverage; /* "1,999 of 10,001 threads" where not all could be opened, else NULL */
    bool stopped;         /* the kernel stopped counting tasks that still run: see stopped.h */
    const struct tally *tally;
    struct still *still; /* of each row, kept from one sample to the next; NULL: not looked at */
};

/* Whether a counter that must move ever did. */
struct still {
    bool moved;
    double seconds; /* counted without a change so far */
};
enum { EMIT_STILL_MS = 200 };
#define EMIT_STOPPED                                                                               \
    "the kernel ended the counting when the command ran a set-user-ID program (sudo, ping)"

/* Appends one counter for each row of the table. */
void emit_counters(const struct emit_input *in, struct snapshot *out);

#endif
