/*
 * The processes. At most one read a process a poll, from a descriptor that is kept open:
 *
 * - a process that used CPU time in its last reading is read on every poll; any other at most once
 * a second, and one that has been idle for several readings every other second, later every fourth;
 * - unless the CPU time that /proc/stat counts is more than that of the processes just read: then
 * all that were not read in this second are read in the same poll, so that none can hide;
 * - /proc is listed once a second, and up to four times when the kernel started something; every
 * fourth second where it started nothing and counts as many processes as then: those are the same.
 *
 * A percentage is always over the whole time since that process was read before.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_PROCS_H
#define ROOFTOP_BACKENDS_PROCESSES_PROCS_H

#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"

struct procs;

struct procs *procs_open(const struct target *target, pid_t command);
/* Fills procs, nprocs, nthreads, threads, account, target_gone; a notice where processes are
 * hidden. */
void procs_poll(struct procs *p, struct snapshot *out, uint64_t now_ns,
                const struct system_tick *tick);
void procs_close(struct procs *p);

/* Reads of /proc/PID/stat and listings of /proc so far, for tests and benchmarks. */
uint64_t procs_reads(const struct procs *p);
uint64_t procs_listings(const struct procs *p);

#endif
