/* The profilers of GPUs: whether this machine has one, where, and which version. */
#ifndef ROOFTOP_BACKENDS_PROFILER_TOOLS_H
#define ROOFTOP_BACKENDS_PROFILER_TOOLS_H

#include <stdbool.h>

#include "base/error.h"

enum tool_kind { TOOL_ROCPROFV3, TOOL_NSYS, TOOL_KINDS };

struct tool {
    enum tool_kind kind;
    char path[4096];   /* "" where it was only asked for, not found */
    char version[128]; /* of the tool itself; "" unknown */
    bool rocpd;        /* writes databases: ROCm 7.0 and later */
};

const char *tool_name(enum tool_kind k);
/*
 * name: "auto", "rocprofv3", "nsys". auto: what is there; with both, rocprofv3 on a machine with
 * AMD's driver. Looked for in PATH, then where its makers install it. ERROR_UNSUPPORTED where
 * there is none, ERROR_USAGE for another name. Starts nothing.
 */
int tool_find(struct tool *t, const char *name, struct error *err);
/* Asks it; what it does not say stays unknown. */
void tool_ask_version(struct tool *t);
/* Whether a command can be executed, as a shell would find it. ERROR_TARGET. */
int tool_check_command(const char *name, struct error *err);

#endif
