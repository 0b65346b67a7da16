/*
 * The last system calls of a trace, in bounded memory: when, in which thread, with which result,
 * without arguments and memory. That is what the sums of calls inside spans need.
 */
#pragma once

#include <stddef.h>

#include "engine/syscalls/event.h"

struct syscall_recent;

enum { SYSCALL_RECENT_BYTES = 40 }; /* memory of one call */

/* limit: bytes for calls; of more calls the oldest are dropped. Memory grows up to it as needed. */
struct syscall_recent *syscall_recent_new(size_t limit);
/* Events that are no calls are ignored. */
void syscall_recent_add(struct syscall_recent *r, const struct syscall_event *e);
size_t syscall_recent_count(const struct syscall_recent *r);
/* Call i < count, the oldest first, without arguments, memory and stack. */
struct syscall_event syscall_recent_at(const struct syscall_recent *r, size_t i);
/* Calls that were dropped. */
uint64_t syscall_recent_dropped(const struct syscall_recent *r);
/* How many calls fit into the limit. */
size_t syscall_recent_room(const struct syscall_recent *r);
void syscall_recent_free(struct syscall_recent *r); /* NULL allowed */
