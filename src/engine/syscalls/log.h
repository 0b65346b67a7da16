/* A trace of system calls in memory: every event with its pieces, in order of arrival. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "engine/syscalls/event.h"

struct syscall_log;

/* limit: bytes of memory; when they are used up, later events are counted as lost. */
struct syscall_log *syscall_log_new(size_t limit);
/* Copies the event with its memory. */
void syscall_log_add(struct syscall_log *log, const struct syscall_event *e);
size_t syscall_log_count(const struct syscall_log *log);
/* Returns event i < count, which borrows from the log. Its stack belongs to the table of stacks of
 * the event that was added. */
struct syscall_event syscall_log_at(const struct syscall_log *log, size_t i);
/* Sorts the events by end_ns, events at the same time by arrival, except that a task starts first
 * and ends last. */
void syscall_log_sort(struct syscall_log *log);
/* Gives all events to the sink, in the log's order. If it wants entries, each comes where its call
 * began; at the same time ends come before entries, but no call ends before its entry. */
void syscall_log_give(const struct syscall_log *log, const struct syscall_sink *sink);
/* How many events were lost at the limit, or by the tracer as SYSCALL_LOST says. */
uint64_t syscall_log_lost(const struct syscall_log *log);
void syscall_log_free(struct syscall_log *log);
