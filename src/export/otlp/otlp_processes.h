/*
 * Processes as spans, from samples, for runs without a tracer that sees starts and ends. A span is
 * written when a sample no longer shows its process. It begins at the start time of the kernel
 * (rounded to a clock tick, usually 10 ms) and ends with the last sample that showed it alive.
 * Processes that lived only between two samples are unknown.
 */
#pragma once

#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

struct otlp_processes;

struct otlp_process {
    int32_t pid, parent_pid;
    uint64_t start;    /* start time in any unit; pid and start identify a process */
    uint64_t begin_ns; /* since 1970 */
    bool ended;        /* it is a zombie */
    const char *name, *command_line;
};

/* command: identifier of the span of the started command, whose pid otlp_processes_command sets;
 * NULL: there is none. */
struct otlp_processes *otlp_processes_new(const struct otlp_context *c, struct otlp_batch *b,
                                          const uint8_t *command);
/* Sets the command: the processes that it started are children of its span and begin after it. */
void otlp_processes_command(struct otlp_processes *o, int32_t pid, uint64_t begin_ns);
/* Adds a sample at wall_ns (since 1970). Call _see for its processes, in any order, between _begin
 * and _done. */
void otlp_processes_begin(struct otlp_processes *o, uint64_t wall_ns);
void otlp_processes_see(struct otlp_processes *o, const struct otlp_process *p);
void otlp_processes_done(struct otlp_processes *o);
/* Gives the span of a process and extends it to end_ns. false: no sample has shown it, or it is the
 * command. */
bool otlp_processes_span(struct otlp_processes *o, int32_t pid, uint64_t end_ns,
                         uint8_t id[OTLP_SPAN_ID]);
/* Writes the processes that still run. */
void otlp_processes_end(struct otlp_processes *o);
void otlp_processes_free(struct otlp_processes *o);
