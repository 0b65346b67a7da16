/*
 * Where tree, path and bricks get their graphs from: files, a running program (-p), or a command
 * that is run to its end.
 */
#ifndef ROOFTOP_CLI_RUN_TRACE_INPUT_H
#define ROOFTOP_CLI_RUN_TRACE_INPUT_H

#include <stdio.h>

#include "cli/options/options.h"
#include "cli/run/output.h"
#include "engine/trace/trace.h"

struct trace_input {
    struct trace trace;
    char **paths; /* of a running program's files: npaths; those of operands are options' */
    size_t npaths;
    int command_status; /* wait status of the command; -1 = none was run */
    int out_fd;         /* where the document goes */
};

/* Free it after either outcome. ERROR_TARGET where a program has no bricks. */
int trace_input_open(struct trace_input *in, const struct options *o, struct error *err);
void trace_input_free(struct trace_input *in);

/* A command over traces: opens the input, lets write fill the document, prints it. The exit status
 * is the command's own where one was run. */
typedef int (*trace_write)(FILE *out, const struct trace_input *in, const struct options *o,
                           struct error *err);
int trace_command(struct options *o, trace_write write);
/* Whether it is text for a terminal or locale without UTF-8. */
bool trace_ascii(const struct options *o);

#endif
