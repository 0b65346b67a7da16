/*
 * Adds up a growing trace and makes snapshots of it. Used by one thread; other threads may read the
 * snapshots.
 */
#pragma once

#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct syscalls_limits {
    uint32_t chunks; /* of the last events; 0 = all */
    uint32_t rows;   /* limit of processes, and of files, in a snapshot; 0 = all */
    uint32_t facts;  /* limit of processes, threads and uses of files that are followed; 0 = all */
};
/* For a live trace: the last 8,192 events or fewer, at most about 40 MB in all. */
extern const struct syscalls_limits syscalls_limits_live;
/* For a saved trace: up to a million events. */
extern const struct syscalls_limits syscalls_limits_saved;

struct syscalls_gather;
struct syscalls_gather *syscalls_gather_new(const struct syscalls_limits *limits);
/* Ignores calls of this process until it executes a program, because they are rooftop's own. */
void syscalls_gather_after_exec(struct syscalls_gather *g, int32_t pid);
/* Adds an event. False: the event was left out. */
bool syscalls_gather_add(struct syscalls_gather *g, const struct syscall_event *e);
/* Sets the total number of calls that the trace lost. */
void syscalls_gather_lost(struct syscalls_gather *g, uint64_t calls);
/* Makes a snapshot. now_ns: the end of its time line; 0: the last event. The caller fills state and
 * mechanism before others see it, and unrefs it. */
struct syscalls_snapshot *syscalls_gather_snapshot(struct syscalls_gather *g, uint64_t now_ns);
void syscalls_gather_free(struct syscalls_gather *g);
