/*
 * Threads of the processes that a view requests: listed and read once a second, one read for each
 * thread, at most THREADS_MAX. Without a request nothing is read.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_THREADS_H
#define ROOFTOP_BACKENDS_PROCESSES_THREADS_H

#include "engine/live/snapshot.h"

enum { THREADS_MAX = 1024 };

struct threads;

/* proc_fd: the folder /proc, borrowed. hz: clock ticks per second. */
struct threads *threads_open(int proc_fd, uint64_t hz);
/*
 * Fills out->threads from out->procs, as requested by out->thread_wish; adds a notice where there
 * are more threads than are read.
 */
void threads_poll(struct threads *t, struct snapshot *out, uint64_t now_ns);
void threads_close(struct threads *t);

#endif
