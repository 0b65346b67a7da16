/*
 * Counts on CPUs. One thread, pinned to each CPU, opens and reads that CPU's groups, because
 * reading another CPU's counters costs an interrupt there (19 us instead of 0.4 us). A sample wakes
 * all threads once and waits a limited time for their answers. A late answer is counted in the next
 * sample.
 */
#ifndef ROOFTOP_BACKENDS_PERF_READERS_H
#define ROOFTOP_BACKENDS_PERF_READERS_H

#include <stdint.h>

#include "backends/perf_common/sys.h"
#include "backends/perf_common/tally.h"

struct readers;

struct readers_config {
    const struct perf_sys *sys;
    const bool
        /* TARGET_MAX_CPUS flags: CPUs on which core and software groups are counted; copied */
        *cpus;
    /* -1, or the cgroup's directory: core and software groups then count only its tasks */
    int cgroup_fd;
    bool uncore_only; /* tasks are watched: only events of the whole machine are read here */
    /*
     * With at most this many CPUs the caller reads them all: waking a thread costs as much as the
     * interrupt that it saves, and a few interrupts end before the threads have run.
     */
    int direct_max;
};

/* plan, and every plan set later, is borrowed until readers_free. */
struct readers *readers_new(const struct readers_config *config, const struct group_plan *plan);
void readers_set_plan(struct readers *r, const struct group_plan *plan);
/*
 * Takes one sample into tally (made for the current plan). position[cpu] is a CPU's row in the
 * tally, -1: none; NULL: no rows. Waits at most timeout_ns.
 */
void readers_sample(struct readers *r, uint64_t timeout_ns, const int *position, struct tally *t);
int readers_count(const struct readers *r); /* CPUs that are read */
void readers_free(struct readers *r);       /* ends the threads and closes all events */

#endif
