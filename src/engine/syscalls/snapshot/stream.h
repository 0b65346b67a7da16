/*
 * Sends events through a pipe from the process that traces to the one that shows them. Both run the
 * same program, so events are written as they are in memory; the reader checks them nevertheless.
 */
#pragma once

#include <stdio.h>

#include "engine/syscalls/stacks.h"
#include "engine/syscalls/tracer.h"

enum syscalls_record {
    SYSCALLS_RECORD_BEGIN = 1, /* the tracer begins: mechanism */
    SYSCALLS_RECORD_READY,     /* the program was attached to */
    SYSCALLS_RECORD_STACK,     /* a stack, before the first event that has it */
    SYSCALLS_RECORD_EVENT,
    SYSCALLS_RECORD_TICK, /* the cost of tracing, a few times a second */
    SYSCALLS_RECORD_END   /* the result; err.kind is ERROR_NONE if it could trace */
};

struct syscalls_stream_begin {
    char by[16], summary[128];
};
struct syscalls_stream_tick {
    uint64_t cpu_ns; /* CPU time that the tracer used so far */
};
struct syscalls_stream_end {
    struct tracer_result result;
    struct error err;
    bool stopped; /* the user ended the trace; false: the traced processes ended */
};

/* Write one record. Errors stay in the FILE. */
void syscalls_stream_begin(FILE *out, const struct syscalls_stream_begin *b);
void syscalls_stream_ready(FILE *out);
void syscalls_stream_stack(FILE *out, const struct syscall_stack *s);
void syscalls_stream_event(FILE *out, const struct syscall_event *e);
void syscalls_stream_tick(FILE *out, const struct syscalls_stream_tick *t);
void syscalls_stream_end(FILE *out, const struct syscalls_stream_end *e);

/* A record that was read; kind says which member is set. */
struct syscalls_stream_item {
    enum syscalls_record kind;
    struct syscall_event event; /* borrows from the reader until the next one */
    struct syscalls_stream_begin begin;
    struct syscalls_stream_tick tick;
    struct syscalls_stream_end end;
};

/* Bytes that arrived but were not taken yet. Zeroed: empty. */
struct syscalls_stream_reader {
    uint8_t *bytes;
    size_t at, n, cap;
    uint8_t *aligned; /* the record that was taken last */
    struct syscall_stacks *stacks;
    const struct syscall_stack **by_id; /* by the writer's numbers */
    size_t nids, ids_cap;
};
/* Adds bytes that arrived. */
void syscalls_stream_put(struct syscalls_stream_reader *r, const void *bytes, size_t n);
/* Takes the next record: 1; 0 if it is not complete yet; -EBADMSG if it is damaged. */
int syscalls_stream_take(struct syscalls_stream_reader *r, struct syscalls_stream_item *out);
void syscalls_stream_free(struct syscalls_stream_reader *r);
