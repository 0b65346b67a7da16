/*
 * The last events of a trace, in bounded memory. They are in chunks that never move or change once
 * they are written, so a snapshot can use them without a copy while the trace goes on.
 */
#pragma once

#include <stddef.h>

#include "engine/syscalls/event.h"

/* The stacks of events belong to their table, which must live longer. */

/* Limits of a chunk, which has about 200 KiB: events, and bytes of their pieces. */
enum { TAIL_CHUNK = 512, TAIL_BYTES = 128 * 1024 };

struct tail_chunk;

/* The writer's side. Zeroed, with limit set: empty. */
struct syscall_tail {
    struct tail_chunk **list; /* the oldest first */
    uint32_t n, cap;
    uint32_t limit;  /* limit of chunks; beyond it the oldest is dropped */
    uint64_t events; /* number of all that were added */
};

void syscall_tail_add(struct syscall_tail *t, const struct syscall_event *e);
void syscall_tail_free(struct syscall_tail *t);

/* The events up to a moment, for a snapshot. */
struct syscall_tail_view {
    struct tail_chunk **list;
    uint32_t nchunks;
    uint64_t first; /* number in the trace, from 0, of the oldest event that is kept */
    uint64_t n;     /* number of events */
};

/* Takes references; the view may be read on another thread while the writer adds. */
void syscall_tail_lend(const struct syscall_tail *t, struct syscall_tail_view *out);
/* Event i < n, the oldest first. It borrows from the view. */
struct syscall_event syscall_tail_at(const struct syscall_tail_view *v, uint64_t i);
void syscall_tail_return(struct syscall_tail_view *v);
