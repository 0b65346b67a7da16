/*
 * The events that sample a target, and the rings that they write to: opened, enabled, closed.
 *
 * One ring a CPU. Where a target has more threads than descriptors are to be had for, whole CPUs
 * are sampled, if that is allowed, and the reader keeps what belongs to the target. Events that
 * follow tasks are opened once a task and CPU, because the kernel gives an inherited event no ring
 * of its own; they all write to the ring of their CPU, which belongs to an event of ours that
 * counts nothing, so that it outlives the tasks.
 *
 * What is sampled: cycles; cpu-clock (a timer) where they cannot be. cpu-clock also goes off on
 * idle CPUs: such samples are left out by the kernel (exclude_idle), and none of process 0 is kept.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_TAP_H
#define ROOFTOP_BACKENDS_SAMPLER_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/sys.h"
#include "backends/perf_common/perf_ring.h"
#include "engine/hot/profile.h"
#include "engine/live/target.h"

struct tap_config {
    const struct perf_sys *sys;
    const struct perf_context *context;
    const struct target *target;
    pid_t command;      /* TARGET_COMMAND */
    bool command_waits; /* it has not executed yet: sampling starts when it does */
    struct sampling sampling;
    const _Atomic bool *quit; /* ends the opening early; NULL = never */
};

struct tap_ring {
    int cpu, fd;
    struct perf_ring ring;
    size_t mapped; /* bytes; 0 = none */
};

struct tap {
    const struct perf_sys *sys;
    const char *event; /* "cycles", "cpu-clock" */
    enum callgraph callgraph;
    bool cpu_clock, kernel_excluded;
    double hz;    /* as set; less than asked for where the kernel allows no more */
    size_t nregs; /* registers in a sample; 0 = no dumps */
    struct tap_ring *rings;
    size_t nrings;
    pid_t *only; /* not NULL: whole CPUs are sampled, and these processes are meant, with what they
                    start from now on */
    size_t nonly;
    int *fds; /* of the sampling events */
    size_t nfds, cap_fds;
    int cgroup_fd;
    size_t tasks, tasks_left; /* threads found, and those that could not be opened */
    int error;                /* positive errno of the first refusal */
    char why[320];            /* what is not as asked, "" where all is */
    char help[320];           /* then: what would help, "" nothing */
};

/* Of the user's stack: all callers with CALLGRAPH_DWARF; with CALLGRAPH_FP only that of the
 * innermost function, which most often keeps no frame pointer. */
enum { TAP_STACK_BYTES = 8192, TAP_STACK_BYTES_FP = 512 };

/* Opens and enables. Always fills s; true when something samples. */
bool tap_open(struct tap *s, const struct tap_config *c);
void tap_close(struct tap *s); /* safe on a zeroed tap */

/* The process itself and all that descend from it or belong to its session: *pids is malloc'ed. */
size_t tap_family(pid_t pid, pid_t **pids);

/* The registers asked for, for a caller that reads them: a mask in the kernel's numbers. */
uint64_t tap_regs_mask(void);

#endif
