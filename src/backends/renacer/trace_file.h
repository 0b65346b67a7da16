/*
 * Reads a saved trace of system calls: rooftop's own JSON, and renacer's (renacer-json-v1), even
 * after output of the program.
 */
#pragma once

#include "base/error.h"
#include "engine/syscalls/event.h"

struct trace;

#define SYSCALL_TRACE_FORMAT "renacer-json-v1" /* the value of its member "format" */

/* What the file tells besides its events. */
struct syscall_trace_file {
    uint64_t calls, lost;
    int exit_code;      /* -1 = unknown */
    bool has_processes; /* it has events of processes and times of day, as rooftop's own files */
};

/* Gives all events to the sink, in order of their times; entries too, if it wants them. t: for
 * progress and pipes; may be NULL. 0, or -errno with err: ERROR_INPUT with "FILE:LINE:COLUMN" if it
 * is no such trace or damaged. */
int syscall_trace_read(const char *path, struct trace *t, const struct syscall_sink *sink,
                       struct syscall_trace_file *out, struct error *err);
