/*
 * Does the PMU count? A virtual PMU may accept every event and count nothing: one millisecond of
 * known work under cycles and instructions tells.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_SELFTEST_H
#define ROOFTOP_BACKENDS_PERF_COMMON_SELFTEST_H

#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/sys.h"

enum selftest_state {
    SELFTEST_PENDING,
    SELFTEST_WORKS,
    SELFTEST_REFUSED,        /* could not be opened: err */
    SELFTEST_COUNTS_NOTHING, /* opens, runs, reads 0 */
    SELFTEST_NEVER_RUNS,     /* opens, but gets no counter */
};

struct selftest {
    enum selftest_state state;
    int err; /* positive errno or EXPLAIN_*, where refused */
    uint64_t cycles, instructions;
};

/* Takes a millisecond of the calling thread. */
void selftest_run(const struct perf_sys *sys, struct selftest *out);

/* The same on a thread of its own. */
struct selftest_job;
struct selftest_job *selftest_start(const struct perf_sys *sys);
/* SELFTEST_PENDING until it is done. */
void selftest_result(struct selftest_job *job, struct selftest *out);
void selftest_free(
    struct selftest_job *job); /* waits for the rest of its millisecond; NULL allowed */

/* One line for people; "" while pending or working. */
const char *selftest_text(const struct selftest *t, char *out, size_t size);

#endif
