/*
 * The events that sample a target, and the rings that they write to: opened, enabled, closed.
 *
 * There is one ring for each CPU. If a target has more threads than there are descriptors, whole
 * CPUs are sampled, if that is allowed, and the reader keeps the samples of the target. Events that
 * follow tasks are opened for each task and CPU, because the kernel gives an inherited event no
 * ring of its own. They all write to the ring of their CPU. That ring belongs to an event of ours
 * that counts nothing, so that it outlives the tasks.
 *
 * cycles is sampled, or cpu-clock (a timer) where cycles cannot be. cpu-clock also fires on idle
 * CPUs: the kernel drops such samples (exclude_idle), and samples of process 0 are not kept.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_TAP_H
#define ROOFTOP_BACKENDS_SAMPLER_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/perf_ring.h"
#include "backends/perf_common/sys.h"
#include "engine/hot/hot_stacks.h"
#include "engine/live/target.h"

struct tap_config {
    const struct perf_sys *sys;
    const struct perf_context *context;
    const struct target *target;
    pid_t command;      /* TARGET_COMMAND */
    bool command_waits; /* it has not executed yet: sampling starts with the exec */
    struct sampling sampling;
    const _Atomic bool *quit; /* stops the opening early; NULL: never */
};

struct tap_ring {
    int cpu, fd;
    struct perf_ring ring;
    size_t mapped; /* bytes; 0: not mapped */
};

struct tap {
    const struct perf_sys *sys;
    const char *event; /* "cycles", "cpu-clock" */
    enum callgraph callgraph;
    bool cpu_clock, kernel_excluded;
    double hz;    /* the rate in use; lower than requested where the kernel limits it */
    size_t nregs; /* registers in a sample; 0: no dumps */
    struct tap_ring *rings;
    size_t nrings;
    /* not NULL: whole CPUs are sampled for these processes and what they start from now on */
    pid_t *only;
    size_t nonly;
    int *fds; /* the sampling events */
    size_t nfds, cap_fds;
    int cgroup_fd;
    size_t tasks, tasks_left; /* threads found; threads that could not be opened */
    int error;                /* positive errno of the first error */
    char why[320];            /* what differs from the request; "": nothing */
    char help[320];           /* what would help; "": nothing */
};

/*
 * Bytes of the user stack to copy: for all callers with CALLGRAPH_DWARF; with CALLGRAPH_FP only for
 * the innermost function, which mostly has no frame pointer.
 */
enum { TAP_STACK_BYTES = 8192, TAP_STACK_BYTES_FP = 512 };

/*
 * Opens and enables the events. Always fills s, which tap_close frees. Returns whether anything is
 * sampled.
 */
bool tap_open(struct tap *s, const struct tap_config *c);
void tap_close(struct tap *s); /* allowed on a zeroed tap */

/*
 * Lists the process, its descendants, and the processes of its session; the caller frees *pids.
 * Returns how many.
 */
size_t tap_family(pid_t pid, pid_t **pids);

/* The registers that are requested, as a mask of the kernel's numbers. */
uint64_t tap_regs_mask(void);

#endif
