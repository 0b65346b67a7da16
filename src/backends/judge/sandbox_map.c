#include "backends/judge/judge_impl.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Values of Linux's <linux/mman.h>, <asm-generic/unistd.h>, which older headers lack. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

enum { RANGES = 512 /* given to the kernel at once; it takes 1024 */ };

/* --- a mapping for each buffer --- */

/* Maps a buffer, and its pages at once: not when they are touched, while the clock runs. */
static int map_buffer(char *run, size_t n, int fd, off_t at, bool written)
{
    const int prot = written ? PROT_READ | PROT_WRITE : PROT_READ;
    return mmap(run, n, prot, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, at) == run ? 0 : -errno;
}

int sandbox_map_singly(char *base, const struct sandbox_layout *l, int fd, size_t slots)
{
    int rc = 0;
    for (size_t p = 0; p < slots; p++)
        for (size_t i = 0; i < l->nbuffers && rc == 0; i++) {
            const size_t at = sandbox_run_at(l, p, i);
            if (l->buffer[i].bytes > 0)
                rc = map_buffer(base + at, l->buffer[i].pages, fd, (off_t)at, l->buffer[i].written);
        }
    return rc;
}

/* --- marked pages --- */

/* Ranges of addresses that wait for the same advice. */
struct advice {
    int process, what; /* a descriptor of this process; MADV_ */
    size_t n;
    struct iovec ranges[RANGES];
};

static int send_advice(struct advice *a)
{
    size_t done = 0;
    for (size_t i = 0; i < a->n; i++)
        done += a->ranges[i].iov_len;
    const long rc =
        a->n ? syscall(SYS_process_madvise, a->process, a->ranges, a->n, a->what, 0) : 0;
    a->n = 0;
    if (rc < 0)
        return -errno;
    return (size_t)rc == done ? 0 : -EAGAIN;
}

static int add_advised_range(struct advice *a, char *from, const char *to)
{
    if (from == to)
        return 0;
    a->ranges[a->n++] = (struct iovec){from, (size_t)(to - from)};
    return a->n == RANGES ? send_advice(a) : 0;
}

/* Adds what stands between the buffers of a part, or the buffers themselves. */
static int add_ranges(struct advice *a, char *base, const struct sandbox_layout *l, size_t slots,
                      bool written)
{
    char *end = base + l->part[written].begin;
    int rc = 0;
    for (size_t p = 0; p < slots; p++)
        for (size_t i = 0; i < l->nbuffers && rc == 0; i++) {
            char *run = base + sandbox_run_at(l, p, i);
            if (l->buffer[i].bytes == 0 || l->buffer[i].written != written)
                continue;
            rc = a->what == MADV_GUARD_INSTALL
                     ? add_advised_range(a, end, run)
                     : add_advised_range(a, run, run + l->buffer[i].pages);
            end = run + l->buffer[i].pages;
        }
    if (rc == 0 && a->what == MADV_GUARD_INSTALL)
        rc = add_advised_range(a, end,
                               base + l->part[written].begin + slots * l->part[written].slot);
    return rc ? rc : send_advice(a);
}

static int map_part(int process, char *base, const struct sandbox_layout *l, int fd, size_t slots,
                    bool written)
{
    const size_t begin = l->part[written].begin, n = slots * l->part[written].slot;
    struct advice guards = {.process = process, .what = MADV_GUARD_INSTALL},
                  pages = {.process = process,
                           .what = written ? MADV_POPULATE_WRITE : MADV_POPULATE_READ};
    if (n == 0)
        return 0;
    if (mmap(base + begin, n, written ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_FIXED,
             fd, (off_t)begin) == MAP_FAILED)
        return -errno;
    const int rc = add_ranges(&guards, base, l, slots, written);
    return rc ? rc : add_ranges(&pages, base, l, slots, written);
}

int sandbox_map_guarded(char *base, const struct sandbox_layout *l, int fd, size_t slots)
{
    const int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (process < 0)
        return -errno;
    int rc = map_part(process, base, l, fd, slots, false);
    if (rc == 0)
        rc = map_part(process, base, l, fd, slots, true);
    close(process); /* code of others must not find it */
    return rc;
}

int sandbox_map(char *base, const struct sandbox_layout *l, int fd, size_t slots)
{
    if (sandbox_map_guarded(base, l, fd, slots) == 0)
        return 0;
    const size_t n = l->bytes - l->start;
    void *const at = base + l->start;
    if (n > 0 && mmap(at, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                      0) == MAP_FAILED)
        return -errno;
    return sandbox_map_singly(base, l, fd, slots);
}
