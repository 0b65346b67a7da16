/*
 * Breakpoints of the kernel (uprobes) at places of files, and the rings that say who ran into them.
 *
 * The uprobe PMU of perf_event_open(2): its number and the bits of its fields are read from
 * /sys/bus/event_source/devices/uprobe. One event a place and CPU, for all processes that run that
 * file; whose a record is says its pid. Not one a task with inherit: the kernel copies an event for
 * a new thread from its attr, reads the file's name from a pointer that was ours in the memory of
 * the program that is watched, and fails its clone with EFAULT (seen on Linux 6.18).
 *
 * Closing takes the kernel a grace period an event (80 ms were seen): a process of its own does
 * it, so that nobody waits.
 */
#ifndef ROOFTOP_BACKENDS_USDT_EVENTS_H
#define ROOFTOP_BACKENDS_USDT_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "base/error.h"

struct usdt_events;

struct usdt_place {
    const char *path;              /* as we can open it */
    unsigned long long dev, inode; /* which file that was when the offsets were read; 0: any */
    uint64_t offset;               /* of the instruction in the file */
    uint64_t semaphore_offset;     /* in the file; 0 = none */
    uint32_t probe;                /* the caller's number for it */
};

/* Makes the rings, which tell of forks, ends and names at once. ERROR_PERMISSION,
 * ERROR_UNSUPPORTED. */
int usdt_events_open(struct usdt_events **out, const struct perf_sys *sys, struct error *err);
/* On every CPU, from now on. */
int usdt_events_add(struct usdt_events *e, const struct usdt_place *place, struct error *err);
/* How many more places fit into the limit of descriptors. */
size_t usdt_events_room(const struct usdt_events *e);
void usdt_events_close(struct usdt_events *e);

enum usdt_what { USDT_HIT, USDT_FORK, USDT_EXIT, USDT_COMM, USDT_EXEC };
struct usdt_moment {
    uint64_t time;  /* ns of CLOCK_MONOTONIC */
    uint64_t order; /* the caller's */
    pid_t pid, tid;
    uint8_t what;   /* enum usdt_what */
    uint32_t probe; /* USDT_HIT */
    pid_t parent;   /* USDT_FORK: of pid */
    char name[16];  /* USDT_COMM, USDT_EXEC */
};
typedef void (*usdt_sink)(void *ctx, const struct usdt_moment *m);
/* Empties the rings, one after the other. Returns how many records the kernel had no room for. */
uint64_t usdt_events_read(struct usdt_events *e, usdt_sink sink, void *ctx);

#endif
