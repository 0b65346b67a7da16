/*
 * Traces running processes for the screen: rooftop starts itself again (base/self.h) as the tracer,
 * because ptrace and the waits of a program's parent do not go together in one process, and reads
 * its events on a thread. Whatever happens to rooftop, the kernel lets the traced processes go when
 * that process ends, and they run on.
 */
#pragma once

#include <sys/types.h>

#include "engine/syscalls/feed.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct syscalls_watch;

/* by: the name of a mechanism, or NULL for the best that works here. stacks: also the stack of each
 * call, which only some mechanisms tell. */
struct syscalls_watch *syscalls_watch_new(const char *by, bool stacks);
/* Before the first trace: gives each call to the feed too, which must outlive w. */
void syscalls_watch_feed(struct syscalls_watch *w, struct call_feed *feed);
/*
 * Begins to trace these processes, with all their threads and descendants. after_exec: they are one
 * process that has not executed its program yet, and what it does before is left out. An earlier
 * trace must have ended; its snapshot is replaced. A snapshot reports failures. 0 or -errno with
 * err. May be called from any thread.
 */
int syscalls_watch_begin(struct syscalls_watch *w, const pid_t *pids, size_t n, bool after_exec,
                         struct error *err);
/* Waits until the processes are attached to, or it failed, at most ms. True: they are. */
bool syscalls_watch_ready(struct syscalls_watch *w, int ms);
/* Ends the trace; the processes run on. Does not wait for the end. */
void syscalls_watch_stop(struct syscalls_watch *w);
/* Whether tracing goes on, or has not ended yet. */
bool syscalls_watch_on(struct syscalls_watch *w);
/* Waits for the end of the trace after what was traced has ended, or stop; at most ms. */
void syscalls_watch_wait(struct syscalls_watch *w, int ms);
/* Becomes readable when there is a new snapshot. */
int syscalls_watch_fd(const struct syscalls_watch *w);
/* The newest snapshot, as a reference; NULL if it was taken already. Snapshots are made only for a
 * reader: the next one is made at the earliest a quarter of a second after this one was. */
const struct syscalls_snapshot *syscalls_watch_take(struct syscalls_watch *w);
/* Ends the trace, waits until its processes are released, and frees w. */
void syscalls_watch_free(struct syscalls_watch *w);
