/*
 * The kernel's records and rings, made by hand for tests of the sampler.
 */
#ifndef ROOFTOP_TESTS_SUPPORT_RECORDS_H
#define ROOFTOP_TESTS_SUPPORT_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Each writes one record into buf (8-byte aligned, big enough) and returns its size. */
struct record_ids {
    pid_t pid, tid;
    uint64_t time;
    uint32_t cpu;
};
size_t record_make_sample(void *buf, struct record_ids ids, uint16_t misc, uint64_t ip,
                          const uint64_t *chain, size_t nchain);
/* With registers and a stack behind the chain; filled <= nstack bytes of it are said to be valid.
 */
size_t record_make_dwarf_sample(void *buf, struct record_ids ids, uint64_t ip, const uint64_t *regs,
                                size_t nregs, const void *stack, size_t nstack, uint64_t filled);
size_t record_make_mmap2(void *buf, struct record_ids ids, uint64_t start, uint64_t length,
                         uint64_t offset, uint64_t inode, const char *path);
size_t record_make_task(void *buf, struct record_ids ids, uint32_t type, pid_t parent);
size_t record_make_comm(void *buf, struct record_ids ids, int exec);
size_t record_make_lost(void *buf, struct record_ids ids, uint64_t lost);

/* A ring of one page of control and size bytes (a power of two), all zero. free() it. */
void *ring_memory(size_t size);
enum { RING_PAGE = 4096 };
/* Appends as the kernel does, around the end; the caller sees to room. */
void ring_append(void *base, size_t size, const void *record, size_t n);

#endif
