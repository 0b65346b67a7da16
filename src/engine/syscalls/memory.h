/*
 * The memory that arguments of system calls point to. While a program is traced, syscall_fetch
 * reads what the table of calls says is worth keeping, and keeps it as pieces of the event. Later
 * the decoder reads these pieces as if they were the memory.
 */
#pragma once

#include <stddef.h>

#include "engine/syscalls/event.h"

/* Reads memory of the traced program. */
struct syscall_memory {
    /* Returns the number of bytes read, less than n if the memory ends before, or -errno. */
    long (*read)(void *ctx, uint64_t address, void *out, size_t n);
    void *ctx;
};

/* The pieces of one event. It grows and is reused for the next event. Starts zeroed. */
struct syscall_pieces {
    struct syscall_piece *list;
    uint8_t *bytes;
    uint32_t n, cap, nbytes, bytes_cap;
};

/* Limit of the bytes of one event, and of its number of pieces, as some have no bytes. */
enum { SYSCALL_PIECES = 64 * 1024 };
void syscall_pieces_clear(struct syscall_pieces *p);
void syscall_pieces_free(struct syscall_pieces *p);
/* Lends the pieces to e until p changes. */
void syscall_pieces_lend(const struct syscall_pieces *p, struct syscall_event *e);

/* Finds kept memory: a pointer to the bytes at this address as they were at entry or return, and
 * their number in *n; NULL if none were kept. cut may be NULL. */
const uint8_t *syscall_kept(const struct syscall_event *e, uint64_t address, bool at_return,
                            size_t *n, bool *cut);
