/*
 * Counting on CPUs: one thread pinned to each CPU opens and reads that CPU's groups, because
 * reading another CPU's counters costs an interrupt there (19 us against 0.4 us for one's own). A
 * sample wakes all of them once and waits a bounded time for their answers; who is late is counted
 * at the next sample.
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
        *cpus;     /* TARGET_MAX_CPUS flags: where core and software groups are counted; copied */
    int cgroup_fd; /* -1, or the cgroup's directory: core and software groups count only its tasks
                    */
    bool uncore_only; /* tasks are watched: only what counts the whole machine is read here */
    /* With at most so many CPUs the caller reads them all itself: waking a thread costs as much as
     * the interrupt that it saves, and up to a handful of interrupts end before the threads have
     * run. */
    int direct_max;
};

/* plan is borrowed for the life of the readers, as is every plan set later. */
struct readers *readers_new(const struct readers_config *config, const struct plan *plan);
void readers_set_plan(struct readers *r, const struct plan *plan);
/*
 * Takes one sample into tally (made for the plan in force). position[cpu] is the place of a CPU in
 * the tally's CPU dimension, -1 = none; NULL = none at all. Waits timeout_ns at most.
 */
void readers_sample(struct readers *r, uint64_t timeout_ns, const int *position, struct tally *t);
int readers_count(const struct readers *r); /* CPUs read */
void readers_free(struct readers *r);       /* ends the threads, closes everything */

#endif
