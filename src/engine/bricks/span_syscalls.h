/*
 * The system calls inside spans. Spans and traces of system calls have the same clock, so a call
 * belongs to the span that its thread had open when the call began: the innermost one, which is the
 * last that began. Time of a call after the end of that span is not the span's: it is its thread's.
 */
#pragma once

#include "engine/graph/graph_syscalls.h"
#include "engine/syscalls/event.h"

struct span_syscalls;

/* calls: spans below their threads and programs. */
struct span_syscalls *span_syscalls_new(const struct graph *calls);
/* The same without a graph: begin, put spans in any order, then ready. node: any number. */
struct span_syscalls *span_syscalls_begin(void);
void span_syscalls_put(struct span_syscalls *c, int64_t tid, uint64_t start, uint64_t end,
                       uint32_t node);
void span_syscalls_ready(struct span_syscalls *c);
/* The innermost span of the call's thread that was open when it began, and its end; GRAPH_NONE. */
uint32_t span_syscalls_find(const struct span_syscalls *c, const struct syscall_event *e,
                            uint64_t *end_ns);
/* Events of any order; those that are no calls are ignored. */
void span_syscalls_add(struct span_syscalls *c, const struct syscall_event *e);
/*
 * The calls of each node of a graph, with what is inside it: of the calls (place NULL), or of their
 * sums, where place has for each node of calls its node in g. A call of a thread without a known
 * span is its thread's, or its program's; others are elsewhere.
 */
struct graph_syscalls *span_syscalls_sums(const struct span_syscalls *c, const struct graph *g,
                                          const uint32_t *place);
void span_syscalls_free(struct span_syscalls *c);
