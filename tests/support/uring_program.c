#include "support/uring_program.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRIES = 16, NOPS = 3, WRITES = 10, BYTES = 100 };

struct ring {
    int fd;
    struct io_uring_params p;
    uint8_t *sq, *cq;
    struct io_uring_sqe *sqes;
};

static void *map_part(const struct ring *r, size_t bytes, uint64_t offset)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, (off_t)offset);
    return p == MAP_FAILED ? NULL : p;
}

static int open_ring(struct ring *r, unsigned flags)
{
    memset(r, 0, sizeof *r);
    r->p.flags = flags;
    r->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &r->p);
    if (r->fd < 0)
        return -1;
    r->sq = map_part(r, r->p.sq_off.array + r->p.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
    r->cq = map_part(r, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe),
                     IORING_OFF_CQ_RING);
    r->sqes = map_part(r, r->p.sq_entries * sizeof *r->sqes, IORING_OFF_SQES);
    return r->sq && r->cq && r->sqes ? 0 : -1;
}

static uint32_t *word(uint8_t *part, uint32_t offset)
{
    return (uint32_t *)(void *)(part + offset);
}

/* Submits one, waits for it, and returns its result. */
static int one(struct ring *r, const struct io_uring_sqe *sqe)
{
    uint32_t *tail = word(r->sq, r->p.sq_off.tail);
    const uint32_t i = *tail & *word(r->sq, r->p.sq_off.ring_mask);
    r->sqes[i] = *sqe;
    word(r->sq, r->p.sq_off.array)[i] = i;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    const unsigned wake = r->p.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0;
    syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS | wake, NULL, 0);
    uint32_t *head = word(r->cq, r->p.cq_off.head);
    const uint32_t at = *head & *word(r->cq, r->p.cq_off.ring_mask);
    const struct io_uring_cqe *cqe = (const void *)(r->cq + r->p.cq_off.cqes);
    const int result = cqe[at].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return result;
}

static void some(struct ring *r, const char *name, struct io_uring_sqe sqe, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        sqe.user_data = 1000u + (unsigned)i;
        sum += one(r, &sqe);
    }
    printf("%s %d %ld\n", name, n, sum);
}

int uring_program(int argc, char **argv)
{
    static const char bytes[BYTES] = "bytes";
    struct ring r;
    if (argc < 2 || strcmp(argv[1], "uring") != 0)
        return -1;
    if (open_ring(&r, argc > 2 && strcmp(argv[2], "polled") == 0 ? IORING_SETUP_SQPOLL : 0) != 0)
        return 77;
    const int null = open("/dev/null", O_WRONLY);
    some(&r, "nop", (struct io_uring_sqe){.opcode = IORING_OP_NOP}, NOPS);
    some(&r, "write",
         (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
                               .fd = null,
                               .addr = (uint64_t)(uintptr_t)bytes,
                               .len = BYTES},
         WRITES);
    some(&r, "read",
         (struct io_uring_sqe){
             .opcode = IORING_OP_READ, .fd = -1, .addr = (uint64_t)(uintptr_t)bytes, .len = BYTES},
         1);
    close(null);
    return 0;
}

int uring_works(void)
{
    struct io_uring_params p = {0};
    const int fd = (int)syscall(SYS_io_uring_setup, 1, &p);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}
