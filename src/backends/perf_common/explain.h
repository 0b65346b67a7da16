/*
 * Explains why perf_event refused, with the exact command that would help. It covers every errno of
 * perf_event_open(2) and of read(2) on its descriptors.
 */
#pragma once

#include "backends/perf_common/context.h"
#include "base/error.h"
#include "engine/live/target.h"

/* Our own reasons, in addition to errno values. */
enum {
    EXPLAIN_STOLEN = 1000, /* read returned end of file: a pinned event lost its counter */
    EXPLAIN_TOO_BIG,       /* the PMU has too few counters for the group */
    EXPLAIN_OFFLINE,       /* its CPU is offline */
    EXPLAIN_SYSTEM_WIDE,   /* its PMU counts the whole machine, not a task */
    EXPLAIN_KERNEL_ONLY,   /* happens only in the kernel, which may not be counted here */
};

enum explain_event { EXPLAIN_HARDWARE, EXPLAIN_SOFTWARE, EXPLAIN_TRACEPOINT, EXPLAIN_UNCORE };

struct explain_query {
    int err; /* positive errno, or a reason from above */
    enum target_kind kind;
    enum explain_event event;
    const char *pmu;     /* sysfs name; NULL: unknown */
    bool reading;        /* the errno came from read */
    uid_t owner;         /* TARGET_PIDS: the owner of the process; our own uid if unknown */
    unsigned long files; /* EMFILE: descriptors needed in total; 0: unknown */
};

struct explanation {
    enum error_kind kind;
    char why[256];  /* a clause */
    char help[320]; /* an instruction with the command; "" if nothing would help */
};

void explain(const struct perf_context *c, const struct explain_query *q, struct explanation *out);

/* The kind of event, from an encoding's perf type. */
struct perf_encoding;
enum explain_event explain_event_of(const struct perf_encoding *enc);
