/* The stops of tracees.h as events of engine/syscalls/event.h. */
#ifndef ROOFTOP_BACKENDS_PTRACE_EVENTS_H
#define ROOFTOP_BACKENDS_PTRACE_EVENTS_H

#include "backends/ptrace/tracees.h"
#include "engine/syscalls/tracer.h"

struct trace_events {
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result;
    enum syscall_way way;
};

/* Hooks whose ctx is a struct trace_events. */
extern const struct tracee_hooks trace_event_hooks;
/* Frees what the hooks keep of a task, and tells no end. */
void trace_events_drop(struct tracee *task);
void trace_events_note(struct tracer_result *result, const char *text);

#endif
