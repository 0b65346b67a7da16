#include "backends/perf_common/sys.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int kernel_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                       unsigned long flags)
{
    (void)ctx;
    long fd;
    do /* a signal may interrupt its short wait for an execve of the task */
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : (int)fd;
}

static ssize_t kernel_read(void *ctx, int fd, void *buf, size_t size)
{
    (void)ctx;
    ssize_t n;
    do
        n = read(fd, buf, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

static int kernel_ioctl(void *ctx, int fd, unsigned long request, unsigned long arg)
{
    (void)ctx;
    int rc = ioctl(fd, request, arg);
    return rc < 0 ? -errno : rc;
}

static int kernel_close(void *ctx, int fd)
{
    (void)ctx;
    return close(fd) < 0 ? -errno : 0;
}

static int kernel_event_id(void *ctx, int fd, unsigned long long *id)
{
    (void)ctx;
    return ioctl(fd, PERF_EVENT_IOC_ID, id) < 0 ? -errno : 0;
}

static int kernel_map(void *ctx, int fd, size_t size, void **out)
{
    (void)ctx;
    *out = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*out != MAP_FAILED)
        return 0;
    *out = NULL;
    return -errno;
}

static void kernel_unmap(void *ctx, void *base, size_t size)
{
    (void)ctx;
    munmap(base, size);
}

static int kernel_wait(void *ctx, struct pollfd *fds, unsigned n, int timeout_ms)
{
    (void)ctx;
    int rc = poll(fds, n, timeout_ms);
    return rc < 0 ? -errno : rc;
}

const struct perf_sys perf_sys_kernel = {
    .open = kernel_open,
    .read = kernel_read,
    .ioctl = kernel_ioctl,
    .close = kernel_close,
    .event_id = kernel_event_id,
    .map = kernel_map,
    .unmap = kernel_unmap,
    .wait = kernel_wait,
};

static const struct perf_sys *in_use;

const struct perf_sys *perf_sys_current(void)
{
    return in_use ? in_use : &perf_sys_kernel;
}

void perf_sys_use(const struct perf_sys *sys)
{
    in_use = sys;
}
