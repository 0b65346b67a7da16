/*
 * The last events of a trace, in bounded memory. They lie in chunks that do not move or change once
 * they are written, so a snapshot lends them without copying, while the trace goes on.
 */
#pragma once

#include <stddef.h>

#include "engine/syscalls/event.h"

/* Stacks of events are borrowed: they live as long as their table. */

/* Events and bytes of their pieces in a chunk; about 200 KiB with both. */
enum { TAIL_CHUNK = 512, TAIL_BYTES = 128 * 1024 };

struct tail_chunk;

/* The writer's side. Zeroed, with limit set: empty. */
struct syscall_tail {
    struct tail_chunk **list; /* the oldest first */
    uint32_t n, cap;
    uint32_t limit;  /* most chunks; then the oldest is dropped */
    uint64_t events; /* that were ever added */
};

void syscall_tail_add(struct syscall_tail *t, const struct syscall_event *e);
void syscall_tail_free(struct syscall_tail *t);

/* What a snapshot sees: the events up to a moment. */
struct syscall_tail_view {
    struct tail_chunk **list;
    uint32_t nchunks;
    uint64_t first; /* number of the oldest event that is still there: 0, 1, ... in the trace */
    uint64_t n;     /* events that are there */
};

/* Takes references; the view may be read on another thread while the writer adds. */
void syscall_tail_lend(const struct syscall_tail *t, struct syscall_tail_view *out);
/* Event i < n, the oldest first. It borrows from the view. */
struct syscall_event syscall_tail_at(const struct syscall_tail_view *v, uint64_t i);
void syscall_tail_return(struct syscall_tail_view *v);
