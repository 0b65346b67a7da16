/*
 * The interface to the kernel: everything that the perf backend asks of perf_event goes through
 * this table, so that tests can replay recorded counts, refusals and lost PMUs without hardware.
 */
#pragma once

#include <linux/perf_event.h>
#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

/* Each function returns >= 0 or -errno (never -1 with errno). Any thread may call them. */
struct perf_sys {
    int (*open)(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                unsigned long flags);
    ssize_t (*read)(void *ctx, int fd, void *buf, size_t size);
    int (*ioctl)(void *ctx, int fd, unsigned long request, unsigned long arg);
    int (*close)(void *ctx, int fd);
    int (*event_id)(void *ctx, int fd, unsigned long long *id); /* PERF_EVENT_IOC_ID */
    void *ctx;
    /* Maps the ring that an event writes samples to: *out is size bytes, shared with the kernel. */
    int (*map)(void *ctx, int fd, size_t size, void **out);
    void (*unmap)(void *ctx, void *base, size_t size);
    /* Like poll(2); fds[0] is not an event but the caller's own eventfd. */
    int (*wait)(void *ctx, struct pollfd *fds, unsigned n, int timeout_ms);
};
extern const struct perf_sys perf_sys_kernel;

/* The table in use: perf_sys_kernel, unless a test set another one (borrowed; NULL restores it). */
const struct perf_sys *perf_sys_current(void);
void perf_sys_use(const struct perf_sys *sys);
