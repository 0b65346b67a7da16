/*
 * Traces running processes for the screen: rooftop starts itself again (base/self.h) as the tracer,
 * because ptrace and waiting for a child of rooftop disturb each other in one process, and reads
 * its events on a thread. When the tracer ends for any reason, the kernel detaches the traced
 * processes, which run on.
 */
#pragma once

#include <sys/types.h>

#include "engine/syscalls/feed.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct syscalls_watch;

/* by: the name of a mechanism, or NULL for the best that works here. stacks: also find the stack of
 * each call, which only some mechanisms can. */
struct syscalls_watch *syscalls_watch_new(const char *by, bool stacks);
/* Before the first trace: gives each call to the feed too, which must outlive w. */
void syscalls_watch_feed(struct syscalls_watch *w, struct call_feed *feed);
/* Begins to trace these processes, with all their threads and descendants. after_exec: it is one
 * process that has not executed its program yet; its calls before that are ignored. An earlier
 * trace must have ended; its snapshot is replaced. A snapshot reports failures. 0 or -errno with
 * err. May be called from any thread. */
int syscalls_watch_begin(struct syscalls_watch *w, const pid_t *pids, size_t n, bool after_exec,
                         struct error *err);
/* Waits at most ms until the processes are attached or that failed. true: they are attached. */
bool syscalls_watch_ready(struct syscalls_watch *w, int ms);
/* Ends the trace; the processes run on. Does not wait for the end. */
void syscalls_watch_stop(struct syscalls_watch *w);
/* Whether tracing has not ended yet. */
bool syscalls_watch_on(struct syscalls_watch *w);
/* Waits at most ms for the end of the trace, once the traced processes ended or it was stopped. */
void syscalls_watch_wait(struct syscalls_watch *w, int ms);
/* Becomes readable when there is a new snapshot. */
int syscalls_watch_fd(const struct syscalls_watch *w);
/* The newest snapshot, as a reference; NULL if it was taken already. Snapshots are made only on
 * demand: the next one a quarter of a second after this one at the earliest. */
const struct syscalls_snapshot *syscalls_watch_take(struct syscalls_watch *w);
/* Ends the trace, waits until its processes are released, and frees w. */
void syscalls_watch_free(struct syscalls_watch *w);
