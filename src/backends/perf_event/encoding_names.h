/*
 * The parts of event_resolve: one file each kind of name. Every resolver returns 1 when the text is
 * not of its kind (nothing filled), 0 when resolved, -errno with err when it is but cannot be.
 */
#ifndef ROOFTOP_BACKENDS_PERF_EVENT_ENCODING_NAMES_H
#define ROOFTOP_BACKENDS_PERF_EVENT_ENCODING_NAMES_H

#include "backends/perf_event/encoding.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/error.h"
#include "base/nearest.h"

struct encodings {
    struct perf_encoding rows[EVENT_MAX_PMUS];
    size_t n;
};

enum { NOT_MINE = 1 };

/* perf's own names: "cycles", "context-switches", "L1-dcache-load-misses". */
int names_generic(const char *name, struct encodings *out);
void names_generic_offer(struct nearest *n);
/* "r1c2" */
int names_raw(const char *name, struct encodings *out);
/* What libpfm4 knows, with its own modifiers; started on first use. Thread-safe. */
int names_pfm(const char *name, struct encodings *out);
void names_pfm_offer(struct nearest *n);
/* "sched:sched_switch" */
int names_tracepoint(const char *name, struct encodings *out, struct error *err);

/* One row a core PMU (one without a PMU in sysfs too: perf_event_open will tell). */
void encodings_on_cores(struct encodings *out, uint32_t type, uint64_t config, bool extended_type);
/* General-purpose counters that an event of a core PMU takes: 0 for those with a fixed one. */
uint8_t counters_taken(uint32_t type, uint64_t config);

#endif
