/*
 * Where tree, path and bricks get their graphs from: files, a running program (-p), or a command
 * that runs to its end.
 */
#pragma once

#include <stdio.h>

#include "cli/options/options.h"
#include "cli/run/output.h"
#include "cli/run/trace_syscalls.h"
#include "engine/trace/trace.h"

struct trace_input {
    struct trace trace;
    char **paths; /* files of a running program (npaths); paths of operands belong to the options */
    size_t npaths;
    int command_status;       /* wait status of the command; -1 = no command was run */
    int out_fd;               /* descriptor for the document */
    struct otlp_output *otlp; /* gets spans while programs run; NULL, or not open: nobody asks */
    struct trace_syscalls syscalls;
};

/* Free *in in either case. ERROR_TARGET if a program has no bricks. otlp: may be NULL. */
struct otlp_output;
int trace_input_open(struct trace_input *in, const struct options *o, struct otlp_output *otlp,
                     struct error *err);
void trace_input_free(struct trace_input *in);

/* Runs a command over traces: opens the input, calls write for the document, and prints it.
 * Returns the exit status; if a command was run, its own. */
typedef int (*trace_write)(FILE *out, const struct trace_input *in, const struct options *o,
                           struct error *err);
int trace_command(struct options *o, trace_write write);
/* Whether text must be ASCII, because the terminal or locale has no UTF-8. */
bool trace_ascii(const struct options *o);
