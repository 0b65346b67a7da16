/*
 * From the name of an event to the arguments of perf_event_open.
 *
 * Accepted: generic names ("cycles", "cache-misses", "L1-dcache-load-misses", "context-switches"),
 * libpfm4 names ("amd64_fam19h_zen4::RETIRED_OPS", "RETIRED_OPS:u"), raw codes ("r1c2"), the sysfs
 * form ("cpu/event=0x44,umask=0x08,name=x/", "power/energy-pkg/", "msr/tsc/"), tracepoints
 * ("sched:sched_switch"), each with perf's modifiers (:u :k :p…); groups in braces: "{a,b},c".
 * Catalog rows also use "NAME=rCODE": the code is opened, the name (libpfm4's, which a test checks
 * against the code) is shown. So the default sets do not need libpfm4, which takes 1.5 ms to start
 * and may not know this CPU model.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum event_scope {
    EVENT_CORE, /* on each CPU or for each thread */
    /* system-wide on the CPUs of its PMU's cpumask; never for a thread, no exclude_* */
    EVENT_UNCORE,
};

struct perf_encoding {
    uint32_t type;
    uint64_t config, config1, config2;
    bool exclude_user, exclude_kernel, exclude_hv;
    uint8_t scope;     /* enum event_scope */
    uint8_t counters;  /* PMU counters that it needs: 0 for software or fixed, 1, or 2 for a pair */
    bool gauge;        /* an instantaneous value */
    bool hybrid;       /* on one of several core PMUs: add the counts of the others, never scale */
    double scale;      /* factor for the count (energy-*.scale; 1e-9 for clocks), 1 otherwise */
    char unit[16];     /* of the scaled count: "Joules", "s", "B", "" */
    char pmu[48];      /* sysfs name of the PMU: "cpu", "cpu_core", "power", "software" */
    char cpumask[256]; /* CPUs to open it on, as a list; "": every CPU of its scope */
};

/* One event of a list, with the name that the user or the catalog gave. */
struct event_request {
    char name[64]; /* name=, or the spec without modifiers */
    char spec[160];
    int set; /* the user grouped events with the same number >= 0 */
    struct perf_encoding enc;
};

/* Resolves one event. ERROR_USAGE with the nearest known name in help; ERROR_UNSUPPORTED if this
 * machine lacks its PMU; ERROR_PERMISSION if a tracepoint id cannot be read. Never prints. */
int event_resolve(const char *spec, struct perf_encoding *out, struct error *err);
/* Resolves a name to all its counters, whose counts must be added: a generic event on a hybrid CPU
 * has one for each core PMU (never scale these: enabled/running is the time on that core type);
 * "uncore_imc/…/" or "amd_umc/…/" names a family of PMUs. Errors as for event_resolve, which
 * returns only the first. The caller frees *out, which has at most EVENT_MAX_PMUS entries; *n >= 1
 * on success. */
enum { EVENT_MAX_PMUS = 64 };
int event_resolve_all(const char *spec, struct perf_encoding **out, size_t *n, struct error *err);
/* Splits and resolves "a,{b,c},d", at most 256 events. The caller frees *out. A name with several
 * counters (see event_resolve_all) makes as many consecutive requests with the same name; enc.pmu
 * tells them apart. Groups never include several PMUs: a set is one group for each enc.pmu. */
int event_list_parse(const char *list, struct event_request **out, size_t *n, struct error *err);
