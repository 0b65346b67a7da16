/*
 * Processes that samples showed, as spans: for runs in which no tracer tells starts and ends. A
 * span is written when a sample no longer shows its process. It begins when the kernel says that
 * the process started (to a clock tick, 10 ms as a rule) and ends with the last sample that showed
 * it alive. Processes that lived between two samples only are not known here.
 */
#pragma once

#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

struct otlp_processes;

struct otlp_process {
    int32_t pid, parent_pid;
    uint64_t start;    /* in any unit; pid and start identify a process */
    uint64_t begin_ns; /* since 1970 */
    bool ended;        /* it is a zombie */
    const char *name, *command_line;
};

/* The command that was started has a span of its own: its pid is told to otlp_processes_command.
 * NULL: there is none. */
struct otlp_processes *otlp_processes_new(const struct otlp_context *c, struct otlp_batch *b,
                                          const uint8_t *command);
/* The command: what it started is below its span and does not begin before. */
void otlp_processes_command(struct otlp_processes *o, int32_t pid, uint64_t begin_ns);
/* A sample at wall_ns (since 1970): each process that it shows, in any order, between _begin and
 * _done. */
void otlp_processes_begin(struct otlp_processes *o, uint64_t wall_ns);
void otlp_processes_see(struct otlp_processes *o, const struct otlp_process *p);
void otlp_processes_done(struct otlp_processes *o);
/* The span of a process, which is extended to end_ns. False: no sample has shown it, or it is the
 * command. */
bool otlp_processes_span(struct otlp_processes *o, int32_t pid, uint64_t end_ns,
                         uint8_t id[OTLP_SPAN_ID]);
/* Writes the processes that still run. */
void otlp_processes_end(struct otlp_processes *o);
void otlp_processes_free(struct otlp_processes *o);
