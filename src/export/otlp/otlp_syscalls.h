/*
 * The events of a tracer as spans: one for each process, from its start to its end, whose parent is
 * that of the process that made it; on request also one for each call. A span is written at its
 * end, so memory grows with the number of processes that run at the same time.
 */
#pragma once

#include "engine/syscalls/event.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

struct otlp_syscalls;

/* command: identifier of the first process's span, which the command got by TRACEPARENT; NULL for
 * attached processes. calls: also write a span for each call. */
struct otlp_syscalls *otlp_syscalls_new(const struct otlp_context *c, struct otlp_batch *b,
                                        const uint8_t *command, bool calls);
void otlp_syscalls_event(struct otlp_syscalls *o, const struct syscall_event *e);
/* Hands over waiting spans. Call it a few times a second, even while nothing happens. */
void otlp_syscalls_tick(struct otlp_syscalls *o);
/* Ends what is still open. wait_status: the command's, as wait(2) gives it; -1 = unknown. */
void otlp_syscalls_end(struct otlp_syscalls *o, int wait_status);
void otlp_syscalls_free(struct otlp_syscalls *o);

/* Writes the span of a command that ran without a tracer. wait_status -1: unknown. times: since
 * 1970. */
struct otlp_command {
    const uint8_t *id;
    int32_t pid;
    const char *const *argv;
    uint64_t begin_ns, end_ns;
    int wait_status;
};
void otlp_command_write(const struct otlp_context *c, struct otlp_batch *b,
                        const struct otlp_command *command);
