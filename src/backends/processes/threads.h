/*
 * Threads of the processes that somebody asks for: listed and read once a second, one read a
 * thread, THREADS_MAX in all. Nothing is read while nobody asks.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_THREADS_H
#define ROOFTOP_BACKENDS_PROCESSES_THREADS_H

#include "engine/live/snapshot.h"

enum { THREADS_MAX = 1024 };

struct threads;

/* proc_fd: /proc, borrowed. hz: clock ticks per second. */
struct threads *threads_open(int proc_fd, uint64_t hz);
/* Fills out->threads as out->thread_wish asks, from out->procs; a notice where there are more than
 * are read. */
void threads_poll(struct threads *t, struct snapshot *out, uint64_t now_ns);
void threads_close(struct threads *t);

#endif
