/*
 * Brings the memory of a sandbox back to what it was before the first call. All that the process
 * can write becomes a private mapping of a file that holds its bytes; throwing the pages away that
 * a call has written shows the file's again. So no call finds anything of another one, wherever
 * that was put: heap, libraries, loader, stacks.
 */
#include "backends/judge/sandbox_turns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#ifndef SYS_rseq
#define SYS_rseq 334
#endif

#if SANDBOX_TURNS_CLEAN

/* glibc since 2.35 tells where the kernel notes the CPU of a thread (rseq(2)), and how large that
 * is. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

enum {
    RANGES = 256,
    CLOCKS = 4,
    IMAGE_MOST = 1 << 30, /* a file with holes */
    MAPS_BYTES = 1 << 16,
    PAGE = 4096, /* of x86-64 */
    BELOW = 16 << 20,
};

/* Set before the first call, and not to be written from then on. */
static struct {
    struct iovec forgotten[RANGES], held[RANGES], clocks[CLOCKS];
    size_t nforgotten, nheld, nclocks;
    long bytes; /* of what is forgotten */
    bool many;  /* the kernel forgets many ranges by one call */
    char *heap_end;
    size_t used; /* of the file */
} clean;

char *sandbox_own_top, *sandbox_call_top;

/* Between memory that nobody may touch, so that it is a mapping of its own; below there is so much
 * of it that no frame reaches over it. */
static char *new_stack(size_t n)
{
    char *at =
        mmap(NULL, BELOW + n + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at + BELOW, n, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return at + BELOW + n;
}

/* Moves a descriptor to its place. 0 or -errno. */
static int move_to(int fd, int target)
{
    if (fd < 0 || fd == target)
        return fd < 0 ? -errno : 0;
    const int rc = dup2(fd, target) < 0 ? -errno : 0;
    close(fd);
    return rc;
}

/* The kernel writes there when it takes the core away. A page that it writes to after it was thrown
 * away, and before faults are counted, is one that a call can write to without a fault. What is
 * registered is __rseq_size, in most versions rounded up to a multiple of 32. */
static void leave_rseq(void)
{
    enum { UNREGISTER = 1, ROUND = 32, SIGNATURE = 0x53053053 /* glibc's, of x86-64 */ };
    char *self;
    if (!&__rseq_size || __rseq_size == 0)
        return; /* it is not registered */
    __asm__("movq %%fs:0, %0" : "=r"(self));
    const unsigned n = (__rseq_size + ROUND - 1) / ROUND * ROUND;
    char *const at = self + __rseq_offset;
    if (syscall(SYS_rseq, at, n, UNREGISTER, SIGNATURE) != 0)
        syscall(SYS_rseq, at, __rseq_size, UNREGISTER, SIGNATURE);
}

int sandbox_clean_open(void)
{
    const int fd = memfd_create("image", MFD_CLOEXEC);
    sandbox_own_top = new_stack(SANDBOX_OWN_STACK);
    sandbox_call_top = new_stack(SANDBOX_CALL_STACK);
    if (fd < 0 || ftruncate(fd, IMAGE_MOST) != 0 || !sandbox_own_top || !sandbox_call_top)
        return -ENOMEM;
    const int rc = move_to(fd, SANDBOX_IMAGE);
    leave_rseq();
    clean.many = move_to((int)syscall(SYS_pidfd_open, getpid(), 0), SANDBOX_PROCESS) == 0;
    return rc;
}

/* Replaces memory by a private mapping of the file with the same bytes. */
static int take_range(char *at, size_t n)
{
    char *copy = clean.used + n > IMAGE_MOST ? MAP_FAILED
                                             : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED,
                                                    SANDBOX_IMAGE, (off_t)clean.used);
    if (copy == MAP_FAILED || clean.nforgotten == RANGES)
        return -ENOMEM;
    memcpy(copy, at, n);
    if (mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, SANDBOX_IMAGE,
             (off_t)clean.used) != at)
        return -errno;
    munmap(copy, n);
    clean.used += n;
    clean.bytes += (long)n;
    struct iovec *last = clean.nforgotten ? &clean.forgotten[clean.nforgotten - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == at)
        last->iov_len += n;
    else
        clean.forgotten[clean.nforgotten++] = (struct iovec){at, n};
    return 0;
}

static bool is_own_stack(const char *from, const char *to)
{
    return (sandbox_own_top > from && sandbox_own_top <= to) ||
           (sandbox_call_top > from && sandbox_call_top <= to);
}

static int hold_later(struct iovec r)
{
    if (clean.nheld == RANGES)
        return -ENOMEM;
    clean.held[clean.nheld++] = r;
    return 0;
}

static int take_map_line(const char *line, const char *program)
{
    static char of_program[512];
    unsigned long from, to;
    char rights[8] = "", name[512] = "";
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %511[^\n]", &from, &to, rights, name) < 3)
        return 0;
    char *const at = (char *)from; /* NOLINT(performance-no-int-to-ptr) */
    const struct iovec r = {at, to - from};
    if (!*of_program) /* the first line is the program's own */
        memcpy(of_program, name, sizeof name);
    if (strncmp(name, "[vvar", 5) == 0) {
        if (clean.nclocks < CLOCKS)
            clean.clocks[clean.nclocks++] = r;
        return 0;
    }
    if (strncmp(rights, "rw", 2) != 0 || rights[3] != 'p' || is_own_stack(at, at + r.iov_len))
        return 0;
    /* with a small ulimit -s the stack that is used now is another one than the kernel's */
    const char *const frame = __builtin_frame_address(0);
    if ((program >= at && program < at + r.iov_len) || strcmp(name, "[stack]") == 0 ||
        (frame >= at && frame < at + r.iov_len) || strcmp(name, of_program) == 0)
        return hold_later(r);
    return take_range(at, r.iov_len);
}

/* What the maps are, before anything is replaced. */
static int read_own_maps(char *text, size_t most)
{
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 1;
    if (fd < 0)
        return -errno;
    while (got > 0 && n < most - 1) {
        got = read(fd, text + n, most - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = '\0';
    close(fd);
    return n < most - 1 ? 0 : -EFBIG;
}

int sandbox_clean_take(void)
{
    static char text[MAPS_BYTES]; /* of the program's own data, which is not replaced */
    clean.heap_end = sbrk(0);
    int rc = read_own_maps(text, sizeof text);
    for (char *at = text, *end; rc == 0 && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        rc = take_map_line(at, text);
    }
    for (size_t i = 0; i < clean.nclocks && rc == 0; i++)
        rc = munmap(clean.clocks[i].iov_base, clean.clocks[i].iov_len) == 0 ? 0 : -errno;
    /* Linux forgets many ranges by one call since 6.13 */
    clean.many = clean.many && sandbox_advise_all(SANDBOX_PROCESS, clean.forgotten,
                                                  clean.nforgotten, MADV_DONTNEED) == clean.bytes;
    char *const unused = sandbox_call_top - SANDBOX_CALL_STACK;
    if (rc == 0 && clean.nforgotten < RANGES)
        clean.forgotten[clean.nforgotten++] =
            (struct iovec){unused, SANDBOX_CALL_STACK - SANDBOX_SCRUBBED};
    clean.bytes += SANDBOX_CALL_STACK - SANDBOX_SCRUBBED;
    return rc;
}

int sandbox_clean_hold(void)
{
    const size_t n = clean.nheld;
    for (size_t i = 0; i < n; i++)
        if (sandbox_system(SYS_mprotect, (long)clean.held[i].iov_base, (long)clean.held[i].iov_len,
                           PROT_READ) < 0)
            return -EACCES;
    return 0;
}

bool sandbox_clean_is_clock(uint64_t address)
{
    for (size_t i = 0; i < clean.nclocks; i++) {
        const uint64_t from = (uint64_t)(uintptr_t)clean.clocks[i].iov_base;
        if (address >= from && address < from + clean.clocks[i].iov_len)
            return true;
    }
    return false;
}

static void advise_forgotten(size_t n, long bytes, int advice)
{
    bool done =
        clean.many && sandbox_advise_all(SANDBOX_PROCESS, clean.forgotten, n, advice) == bytes;
    for (size_t i = 0; i < n && !done; i++)
        if (sandbox_advise(clean.forgotten[i].iov_base, clean.forgotten[i].iov_len, advice) != 0 &&
            advice == MADV_DONTNEED)
            sandbox_system(SYS_exit_group, 2, 0, 0);
}

static long count_page_faults(void)
{
    struct rusage used = {.ru_minflt = 0};
    sandbox_usage(&used);
    return used.ru_minflt + used.ru_majflt;
}

bool sandbox_clean(bool always)
{
    const bool written = sandbox_number(0, SEEK_CUR) != count_page_faults();
    if (written || always) {
        const size_t all = clean.nforgotten;
        advise_forgotten(all, clean.bytes, MADV_DONTNEED);
        /* so that who only reads makes no fault; not the stack, which stands last */
        if (!always)
            advise_forgotten(all - 1, clean.bytes - (long)clean.forgotten[all - 1].iov_len,
                             MADV_POPULATE_READ);
        sandbox_number(count_page_faults(), SEEK_SET);
    }
    memset(sandbox_call_top - SANDBOX_SCRUBBED, 0, SANDBOX_SCRUBBED);
    sandbox_system(SYS_brk, (long)clean.heap_end, 0, 0);
    return written;
}

#endif
