/* What the files of backends/command share among themselves. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* The events that a command counts in its bricks, as its librooftop understands them. */

/* Makes the value of ROOFTOP_BRICK_COUNTERS from names that rooftop knows ("cycles", libpfm4's,
 * "flops": this CPU's event for floating point operations): "NAME=TYPE:CONFIG:u,...". The caller
 * frees *out. ERROR_USAGE if an event is unknown or cannot be counted for a thread. */
int brick_counters_resolve(const char *list, char **out, struct error *err);

/* Keeps a command's output for the output pane and for saving. A separate thread reads it, so that
 * the command never waits for rooftop. */
enum { SPOOL_TAIL = 16 * 1024 };
#define SPOOL_LIMIT (64u * 1024 * 1024)

struct spool;

/* Reads from fd until its end; takes ownership of fd. limit: bytes kept for saving. NULL with err
 * on failure. Free it with spool_free. */
struct spool *spool_new(int fd, uint64_t limit, struct error *err);
/* Waits, at most ms, until everything that was written before the writers closed is read. */
void spool_drain(struct spool *s, int ms);
/* Copies the last complete lines, at most SPOOL_TAIL bytes, to out; returns their length. *total:
 * bytes of output so far; *dropped: bytes that were not kept. */
size_t spool_tail(struct spool *s, char out[SPOOL_TAIL], uint64_t *total, uint64_t *dropped);
/* Saves everything kept to a new file: all of it or, on failure, nothing. ERROR_OUTPUT; EEXIST if
 * the file exists. */
int spool_save(struct spool *s, const char *path, struct error *err);
void spool_free(struct spool *s); /* also ends the thread */

/* A process that notices when rooftop is killed. It then sends SIGHUP to the command's process
 * group, as rooftop does when it ends, so that no command is left behind. PR_SET_PDEATHSIG is not
 * enough: it depends on the thread that forked, reaches only the command, and is cleared by the
 * exec of a set-user-ID program. */
struct watcher {
    pid_t pid; /* 0: none */
    int hold;  /* if it is closed without a byte, by the kernel or by us, the group gets SIGHUP */
};

/* Starts a watcher for a process group. Returns 0 or -errno. */
int watcher_start(struct watcher *w, pid_t group);
/* Ends the watcher without a signal to the group. May be called again. */
void watcher_end(struct watcher *w);
