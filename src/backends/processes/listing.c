#include "backends/processes/processes_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/order.h"

enum { BUF_SIZE = 32 * 1024, PIDS_MAX = 1 << 22 /* the kernel's own limit of pid_max */ };

/* The layout that getdents64(2) returns. */
struct listing_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

int listing_open(struct pid_listing *l)
{
    char path[512];
    *l = (struct pid_listing){.buf = xcalloc(BUF_SIZE, 1)};
    l->dir_fd = open(env_path(path, sizeof path, "/proc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return l->dir_fd < 0 ? -errno : 0;
}

static pid_t parse_pid_name(const char *name)
{
    long v = 0;
    if (*name < '1' || *name > '9')
        return 0;
    for (; *name >= '0' && *name <= '9'; name++)
        if ((v = v * 10 + (*name - '0')) > INT_MAX)
            return 0;
    return *name ? 0 : (pid_t)v;
}

static void append_pid(struct pid_listing *l, pid_t pid)
{
    if (l->n == l->cap) {
        if (l->cap >= PIDS_MAX)
            return;
        l->cap = l->cap ? l->cap * 2 : 512;
        l->pids = xrealloc(l->pids, l->cap, sizeof *l->pids);
    }
    l->pids[l->n++] = pid;
}

/* Sorts and removes duplicates. procfs lists in order; a recorded tree does not. */
static void sort_listed_pids(struct pid_listing *l)
{
    bool sorted = true;
    for (size_t i = 1; i < l->n && sorted; i++)
        sorted = l->pids[i - 1] < l->pids[i];
    if (sorted)
        return;
    qsort(l->pids, l->n, sizeof *l->pids, order_int32);
    size_t kept = 1;
    for (size_t i = 1; i < l->n; i++)
        if (l->pids[i] != l->pids[kept - 1])
            l->pids[kept++] = l->pids[i];
    l->n = kept;
}

int listing_read(struct pid_listing *l)
{
    if (l->dir_fd < 0 || lseek(l->dir_fd, 0, SEEK_SET) < 0)
        return -EBADF;
    size_t before = l->n;
    l->n = 0;
    for (;;) {
        long n = syscall(SYS_getdents64, l->dir_fd, l->buf, BUF_SIZE);
        if (n < 0) {
            l->n = before;
            return -errno;
        }
        if (n == 0)
            break;
        for (long at = 0; at < n;) {
            const struct listing_entry *e = (const struct listing_entry *)(l->buf + at);
            pid_t pid = parse_pid_name(e->name);
            if (pid > 0)
                append_pid(l, pid);
            at += e->length;
        }
    }
    sort_listed_pids(l);
    return 0;
}

size_t listing_population(const struct pid_listing *l)
{
    struct stat st;
    return l->dir_fd >= 0 && fstat(l->dir_fd, &st) == 0 ? (size_t)st.st_nlink : 0;
}

void listing_close(struct pid_listing *l)
{
    if (l->dir_fd >= 0)
        close(l->dir_fd);
    free(l->buf);
    free(l->pids);
    *l = (struct pid_listing){.dir_fd = -1};
}
