/*
 * From moments to spans: which processes are watched, what each of their threads has open, and the
 * files that their spans go to.
 *
 * A begin opens a span inside of what its thread has open; an end closes the innermost open one of
 * its pair, and what was left open inside of that is dropped and counted. Everything is bounded:
 * processes, threads, depth. One thread's.
 */
#ifndef ROOFTOP_BACKENDS_USDT_SPANS_H
#define ROOFTOP_BACKENDS_USDT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SPANS_DEPTH = 64,
    SPANS_PROCESSES = 4096, /* followed at once */
    SPANS_FILES = 64,       /* with spans: as many as the screen shows */
    SPANS_THREADS = 65536,
};

struct spans;

struct spans_totals {
    uint64_t spans;
    uint64_t lone_begins; /* closed by what is around them, or by their thread's end */
    uint64_t lone_ends;   /* of what began before we watched */
    uint64_t dropped;     /* found no room */
};

/* folder: where files go; everybody's place where it is NULL. */
struct spans *spans_new(const char *folder);
void spans_free(struct spans *s); /* takes the files away */

/* The name of pair number i, for all i in order; before its first moment. */
void spans_name(struct spans *s, uint32_t pair, const char *name);

/* This process is watched, with what it starts from now on. */
void spans_watch(struct spans *s, pid_t pid);
bool spans_watched(const struct spans *s, pid_t pid);
/* The watched processes that have not ended; at most max. Returns how many. */
size_t spans_processes(const struct spans *s, pid_t *out, size_t max);

/* What happened, in the order of time (ns of CLOCK_MONOTONIC); of processes that are not watched
 * nothing is kept. */
void spans_fork(struct spans *s, pid_t parent, pid_t child);
void spans_comm(struct spans *s, pid_t pid, pid_t tid, const char *name, bool exec);
void spans_exit(struct spans *s, pid_t pid, pid_t tid);
void spans_begin(struct spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);
void spans_end(struct spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);

/* Looks which processes have ended; their files say so once all that happened before that is known:
 * until_ns tells up to when. Not all: only those whose main thread was seen to end. */
void spans_sweep(struct spans *s, bool all, uint64_t until_ns);
struct spans_totals spans_totals(const struct spans *s);

#endif
