/*
 * The events of a tracer as spans: a span for each process, from its start to its end, below the
 * process that made it; and, where asked, one for each call. A span is written when it has ended:
 * memory grows with the number of processes that run at a time.
 */
#pragma once

#include "engine/syscalls/event.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

struct otlp_syscalls;

/* command: the identifier of the first process's span, which the command was told by TRACEPARENT;
 * NULL where processes are attached to. calls: a span for each call too. */
struct otlp_syscalls *otlp_syscalls_new(const struct otlp_context *c, struct otlp_batch *b,
                                        const uint8_t *command, bool calls);
void otlp_syscalls_event(struct otlp_syscalls *o, const struct syscall_event *e);
/* Hands over what has waited: call it a few times a second, also while nothing happens. */
void otlp_syscalls_tick(struct otlp_syscalls *o);
/* Ends what is still open. wait_status: of the command, as wait(2) gives it; -1 unknown. */
void otlp_syscalls_end(struct otlp_syscalls *o, int wait_status);
void otlp_syscalls_free(struct otlp_syscalls *o);

/* Writes the span of a command that was run without a tracer: also for callers that know no more
 * of a process. wait_status -1: unknown. times: since 1970. */
struct otlp_command {
    const uint8_t *id;
    int32_t pid;
    const char *const *argv;
    uint64_t begin_ns, end_ns;
    int wait_status;
};
void otlp_command_write(const struct otlp_context *c, struct otlp_batch *b,
                        const struct otlp_command *command);
