/*
 * The kernel's records and rings, made by hand for tests of the sampler.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Each function writes one record to buf (8-byte aligned and large enough) and returns its size. */
struct record_ids {
    pid_t pid, tid;
    uint64_t time;
    uint32_t cpu;
};
size_t record_make_sample(void *buf, struct record_ids ids, uint16_t misc, uint64_t ip,
                          const uint64_t *chain, size_t nchain);
/* A sample with registers and a stack behind the call chain; it says that `filled` <= nstack bytes
 * of the stack are valid. */
size_t record_make_dwarf_sample(void *buf, struct record_ids ids, uint64_t ip, const uint64_t *regs,
                                size_t nregs, const void *stack, size_t nstack, uint64_t filled);
size_t record_make_mmap2(void *buf, struct record_ids ids, uint64_t start, uint64_t length,
                         uint64_t offset, uint64_t inode, const char *path);
size_t record_make_task(void *buf, struct record_ids ids, uint32_t type, pid_t parent);
size_t record_make_comm(void *buf, struct record_ids ids, int exec);
size_t record_make_lost(void *buf, struct record_ids ids, uint64_t lost);

/* A zeroed ring: a control page and size bytes (a power of two). The caller frees it with
 * free(). */
void *ring_memory(size_t size);
enum { RING_PAGE = 4096 };
/* Appends a record as the kernel does, wrapping around at the end. The caller makes sure that
 * there is room. */
void ring_append(void *base, size_t size, const void *record, size_t n);
