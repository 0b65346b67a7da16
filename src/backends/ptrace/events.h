/* The stops of tracees.h as events of engine/syscalls/event.h. */
#pragma once

#include "backends/ptrace/call_stacks.h"
#include "backends/ptrace/tracees.h"
#include "engine/syscalls/tracer.h"

struct trace_events {
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result;
    enum syscall_way way;
    struct call_stacks *stacks; /* NULL: none are wanted */
};

/* Hooks whose ctx is a struct trace_events. */
extern const struct tracee_hooks trace_event_hooks;
/* Frees what the hooks keep of a task, without an event for its end. */
void trace_events_drop(struct tracee *task);
/* Notes which calls have no stack. */
void trace_events_tell_stacks(const struct trace_events *x);
void trace_events_note(struct tracer_result *result, const char *text);
