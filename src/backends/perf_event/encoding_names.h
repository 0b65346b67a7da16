/*
 * The parts of event_resolve: one file for each kind of name. Each returns 0 if it resolved the
 * text, -errno with err if the text is of its kind but cannot be resolved, and NOT_MINE, filling
 * nothing, if it is of another kind.
 */
#pragma once

#include "backends/perf_event/encoding.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/error.h"
#include "engine/counters/event_catalog.h"

struct encodings {
    struct perf_encoding rows[EVENT_MAX_PMUS];
    size_t n;
};

enum { NOT_MINE = 1 };

/* perf's own names: "cycles", "context-switches", "L1-dcache-load-misses". */
int names_generic(const char *name, struct encodings *out);
void names_generic_list(event_sink sink, void *ctx);
/* Raw codes: "r1c2". */
int names_raw(const char *name, struct encodings *out);
/* libpfm4's names, with its own modifiers. libpfm4 is started on first use. Thread-safe. */
int names_pfm(const char *name, struct encodings *out);
/* Lists libpfm4's names of all PMUs that it finds here, each unit mask as its own name. The sink
 * must not resolve names: a lock is held. */
void names_pfm_list(event_sink sink, void *ctx);
/* Tracepoints: "sched:sched_switch". */
int names_tracepoint(const char *name, struct encodings *out, struct error *err);
void names_tracepoint_list(event_sink sink, void *ctx);
/* Lists the events that PMUs name in sysfs: "power/energy-pkg/". */
void names_pmu_list(event_sink sink, void *ctx);

/* Adds one row for each core PMU, or one row without a PMU in sysfs: perf_event_open then reports
 * it. */
void encodings_on_cores(struct encodings *out, uint32_t type, uint64_t config, bool extended_type);
/* How many general-purpose counters an event of a core PMU needs: 0 if it has a fixed counter. */
uint8_t counters_taken(uint32_t type, uint64_t config);
