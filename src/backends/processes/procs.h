/*
 * The processes. A poll reads each process at most once, from a descriptor that is kept open:
 *
 * - a process that used CPU time in its last reading is read in every poll; others at most once a
 *   second; those that were idle for several readings every other second, later every fourth, but
 *   for the watched ones; where polls come less often, each poll reads them once;
 * - but if /proc/stat counts more CPU time than the processes just read used, all processes that
 *   were not read in this second are read in the same poll, so that none can hide;
 * - /proc is listed once a second, up to four times when the kernel started something, and every
 *   fourth second when it started nothing and counts as many processes as before: they are the
 *   same.
 *
 * A percentage always covers the whole time since the previous reading of that process.
 */
#pragma once

#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"

struct procs;

struct procs *procs_open(const struct target *target, pid_t command);
/* Fills procs, nprocs, nthreads, threads, account and target_gone; adds a notice if processes are
 * hidden. */
void procs_poll(struct procs *p, struct snapshot *out, uint64_t now_ns,
                const struct system_tick *tick);
void procs_close(struct procs *p);

/* How often /proc/PID/stat was read and /proc was listed so far; for tests and benchmarks. */
uint64_t procs_reads(const struct procs *p);
uint64_t procs_listings(const struct procs *p);
