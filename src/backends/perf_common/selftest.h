/*
 * Tests whether the PMU counts. A virtual PMU may accept every event and count nothing; one
 * millisecond of known work under cycles and instructions shows this.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/sys.h"

struct perf_encoding;

enum selftest_state {
    SELFTEST_PENDING,
    SELFTEST_WORKS,
    SELFTEST_REFUSED,        /* could not be opened: see err */
    SELFTEST_COUNTS_NOTHING, /* opens and runs, but reads 0 */
    SELFTEST_NEVER_RUNS,     /* opens but gets no counter */
};

struct selftest {
    enum selftest_state state;
    int err; /* SELFTEST_REFUSED: positive errno or EXPLAIN_* */
    uint64_t cycles, instructions;
};

/* Runs the test on the calling thread, for a millisecond. */
void selftest_run(const struct perf_sys *sys, struct selftest *out);

/* Runs it on a thread of its own. */
struct selftest_job;
struct selftest_job *selftest_start(const struct perf_sys *sys);
/* *out is SELFTEST_PENDING until the test is done. */
void selftest_result(struct selftest_job *job, struct selftest *out);
void selftest_free(struct selftest_job *job); /* waits for the test to end; NULL is allowed */

/* Whether an event of a CPU changes during 20 ms of work: 1 = it changes, 0 = it stands still,
 * -errno = it cannot be read. */
int selftest_moves(const struct perf_sys *sys, const struct perf_encoding *event, int cpu);
/* Writes one line for people; "" while it is pending or if the PMU works. */
const char *selftest_text(const struct selftest *t, char *out, size_t size);
