/*
 * From the name of an event to what perf_event_open takes.
 *
 * Accepted: generic names ("cycles", "cache-misses", "L1-dcache-load-misses", "context-switches"),
 * libpfm4 names ("amd64_fam19h_zen4::RETIRED_OPS", "RETIRED_OPS:u"), raw codes ("r1c2"), sysfs form
 * ("cpu/event=0x44,umask=0x08,name=x/", "power/energy-pkg/", "msr/tsc/"), tracepoints
 * ("sched:sched_switch"), each with perf's modifiers (:u :k :p…); groups in braces: "{a,b},c".
 * Catalog rows also write "NAME=rCODE": the code is opened, the name (libpfm4's, checked against
 * the code by a test) is what people read; so default sets need neither libpfm4's 1.5 ms of start
 * nor that it knows this very model.
 */
#ifndef ROOFTOP_BACKENDS_PERF_EVENT_ENCODING_H
#define ROOFTOP_BACKENDS_PERF_EVENT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum event_scope {
    EVENT_CORE,   /* per CPU or per thread */
    EVENT_UNCORE, /* system-wide on the CPUs of its PMU's cpumask; never per thread, no exclude_* */
};

struct perf_encoding {
    uint32_t type;
    uint64_t config, config1, config2;
    bool exclude_user, exclude_kernel, exclude_hv;
    uint8_t scope;    /* enum event_scope */
    uint8_t counters; /* PMU counters it takes: 0 software or fixed, 1, 2 for a pair */
    bool gauge;       /* an instantaneous value */
    bool hybrid;      /* on one of several core PMUs: sum with its twins, never scale */
    double scale;  /* multiply the count by this (energy-*.scale; 1e-9 for clocks), 1 otherwise */
    char unit[16]; /* of the scaled count: "Joules", "s", "B", "" */
    char pmu[48];  /* sysfs name of the PMU: "cpu", "cpu_core", "power", "software" */
    char cpumask[256]; /* CPUs to open it on, list form; "" = every CPU of its scope */
};

/* One event of a list, as the user or the catalog named it. */
struct event_request {
    char name[64]; /* name= or the spec without modifiers */
    char spec[160];
    int set; /* events with the same number >= 0 were grouped by the user */
    struct perf_encoding enc;
};

/*
 * ERROR_USAGE with the nearest known name in help; ERROR_UNSUPPORTED where its PMU is not here;
 * ERROR_PERMISSION where a tracepoint id cannot be read. Never prints.
 */
int event_resolve(const char *spec, struct perf_encoding *out, struct error *err);
/*
 * One name may stand for several counters whose counts are to be summed: a generic event on a
 * hybrid CPU (one per core PMU; enabled/running there is time on that core type: never scale
 * those), a "uncore_imc/…/" or "amd_umc/…/" that names a family of PMUs. Same errors as
 * event_resolve, which gives the first of them. *out is malloc'ed, at most EVENT_MAX_PMUS long; *n
 * >= 1 on success.
 */
enum { EVENT_MAX_PMUS = 64 };
int event_resolve_all(const char *spec, struct perf_encoding **out, size_t *n, struct error *err);
/*
 * Splits and resolves "a,{b,c},d". *out is malloc'ed. At most 256 events. A name that stands for
 * several counters (see event_resolve_all) yields as many requests in a row with the same name;
 * enc.pmu tells them apart. Groups never span PMUs: a set is one group per enc.pmu.
 */
int event_list_parse(const char *list, struct event_request **out, size_t *n, struct error *err);

#endif
