/*
 * Makes spans from events: knows the watched processes, the open spans of their threads, and the
 * files of the spans.
 *
 * A begin opens a span inside the thread's open span. An end closes the innermost open span of its
 * pair; spans left open inside it are dropped and counted. Processes, threads and depth are
 * limited. Used by one thread.
 */
#ifndef ROOFTOP_BACKENDS_USDT_SPANS_H
#define ROOFTOP_BACKENDS_USDT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SPANS_DEPTH = 64,
    SPANS_PROCESSES = 4096, /* watched at a time */
    SPANS_FILES = 64,       /* files with spans: as many as the screen shows */
    SPANS_THREADS = 65536,
};

struct usdt_spans;

struct spans_totals {
    uint64_t spans;
    uint64_t lone_begins; /* begins without an end: their enclosing span or thread ended */
    uint64_t lone_ends;   /* ends of spans that began before we watched */
    uint64_t dropped;     /* did not fit */
};

/* folder: where the files are made; NULL: the shared folder. */
struct usdt_spans *spans_new(const char *folder);
void spans_free(struct usdt_spans *s); /* also removes the files */

/* Sets the name of pair i, for all i in order; called before the pair's first event. */
void spans_name(struct usdt_spans *s, uint32_t pair, const char *name);

/* Watches a process and what it starts from now on. */
void spans_watch(struct usdt_spans *s, pid_t pid);
bool spans_watched(const struct usdt_spans *s, pid_t pid);
/* Lists the watched processes that have not ended, at most max. Returns how many. */
size_t spans_processes(const struct usdt_spans *s, pid_t *out, size_t max);

/* Report events in order of time (ns of CLOCK_MONOTONIC); events of other processes are ignored. */
void spans_fork(struct usdt_spans *s, pid_t parent, pid_t child);
void spans_comm(struct usdt_spans *s, pid_t pid, pid_t tid, const char *name, bool exec);
void spans_exit(struct usdt_spans *s, pid_t pid, pid_t tid);
void spans_begin(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);
void spans_end(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time);

/*
 * Finds processes that have ended. A file is marked as ended once all earlier events are known,
 * which is up to until_ns. all false: checks only processes whose main thread was seen to end.
 */
void spans_sweep(struct usdt_spans *s, bool all, uint64_t until_ns);
struct spans_totals spans_totals(const struct usdt_spans *s);

#endif
