/*
 * Breakpoints of the kernel (uprobes) at places in files, and the rings that report who reached
 * them.
 *
 * Uses the uprobe PMU of perf_event_open(2); its number and its fields are read from
 * /sys/bus/event_source/devices/uprobe. There is one event for each place and CPU, for all
 * processes that run the file; the pid in a record tells which one. Inherited events for each task
 * do not work: for a new thread the kernel copies the event from its attr, and reads the file's
 * name through our pointer in the memory of the watched program, whose clone then fails with EFAULT
 * (seen on Linux 6.18).
 *
 * Closing an event takes the kernel a grace period (80 ms were seen), so a separate process closes
 * them and nobody waits.
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
    const char *path;              /* the path under which we can open it */
    unsigned long long dev, inode; /* identify the file whose offsets were read; 0: any file */
    uint64_t offset;               /* of the instruction, in the file */
    uint64_t semaphore_offset;     /* in the file; 0: none */
    uint32_t probe;                /* the caller's number for it */
};

/*
 * Makes the rings, which report forks, exits and names immediately. ERROR_PERMISSION,
 * ERROR_UNSUPPORTED. Free *out with usdt_events_close.
 */
int usdt_events_open(struct usdt_events **out, const struct perf_sys *sys, struct error *err);
/* Starts watching a place, on every CPU. */
int usdt_events_add(struct usdt_events *e, const struct usdt_place *place, struct error *err);
/* How many more places the limit of descriptors allows. */
size_t usdt_events_room(const struct usdt_events *e);
void usdt_events_close(struct usdt_events *e);

enum usdt_what { USDT_HIT, USDT_FORK, USDT_EXIT, USDT_COMM, USDT_EXEC };
struct usdt_moment {
    uint64_t time;  /* ns of CLOCK_MONOTONIC */
    uint64_t order; /* for the caller's use */
    pid_t pid, tid;
    uint8_t what;   /* enum usdt_what */
    uint32_t probe; /* USDT_HIT */
    pid_t parent;   /* USDT_FORK: the parent of pid */
    char name[16];  /* USDT_COMM, USDT_EXEC */
};
typedef void (*usdt_sink)(void *ctx, const struct usdt_moment *m);
/*
 * Empties the rings, one after the other, into sink. Returns how many records the kernel could not
 * store.
 */
uint64_t usdt_events_read(struct usdt_events *e, usdt_sink sink, void *ctx);

#endif
