/* Finds the GPU profilers: whether one is installed, where, and its version. */
#ifndef ROOFTOP_BACKENDS_PROFILER_TOOLS_H
#define ROOFTOP_BACKENDS_PROFILER_TOOLS_H

#include <stdbool.h>

#include "base/error.h"

enum tool_kind { TOOL_ROCPROFV3, TOOL_NSYS, TOOL_KINDS };

struct profiler_tool {
    enum tool_kind kind;
    char path[4096];   /* "": requested but not found */
    char version[128]; /* of the tool itself; "": unknown */
    bool rocpd;        /* it writes databases: ROCm 7.0 and later */
};

const char *tool_name(enum tool_kind k);
/*
 * Finds a tool. name: "auto", "rocprofv3", "nsys". auto takes the installed one, or of both
 * rocprofv3 on a machine with AMD's driver. Searches PATH, then the default installation folders.
 * ERROR_UNSUPPORTED where there is none, ERROR_USAGE for another name. Runs nothing.
 */
int tool_find(struct profiler_tool *t, const char *name, struct error *err);
/* Runs the tool to get its version; what it does not report stays unknown. */
void tool_ask_version(struct profiler_tool *t);
/* Checks that a command can be executed, found as by a shell. ERROR_TARGET. */
int tool_check_command(const char *name, struct error *err);

#endif
