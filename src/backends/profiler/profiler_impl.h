/* What the files of backends/profiler share among themselves. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "engine/profiler/gpu_run.h"
#include "engine/profiler/profiler.h"

/* The folder for the results of a run. */

/* Makes the folder and writes its absolute path to out. An existing folder is refused; with replace
 * it is first removed if an earlier run made it. ERROR_OUTPUT, ERROR_USAGE. */
int run_folder_make(char out[4096], const char *path, bool replace, struct error *err);
/* Writes the path that the folder would have. */
void run_folder_name(char out[4096], const char *path);
/* Lists the files below the pass's folder, sorted, in the pass. */
void run_folder_list(struct gpu_run *r, struct run_pass *p, const char *folder);

/* Finds the GPU profilers: whether one is installed, where, and its version. */
enum tool_kind { TOOL_ROCPROFV3, TOOL_NSYS, TOOL_KINDS };

struct profiler_tool {
    enum tool_kind kind;
    char path[4096];   /* "": requested but not found */
    char version[128]; /* of the tool itself; "": unknown */
    bool rocpd;        /* it writes databases: ROCm 7.0 and later */
};

const char *tool_name(enum tool_kind k);
/* Finds a tool. name: "auto", "rocprofv3", "nsys". auto takes the installed one; if both are
 * installed, rocprofv3 on a machine with AMD's driver. Searches PATH, then the default installation
 * folders. ERROR_UNSUPPORTED if there is none, ERROR_USAGE for another name. Runs nothing. */
int tool_find(struct profiler_tool *t, const char *name, struct error *err);
/* Runs the tool to get its version; what it does not report stays unknown. */
void tool_ask_version(struct profiler_tool *t);
/* Checks that a command can be executed, found as by a shell. ERROR_TARGET. */
int tool_check_command(const char *name, struct error *err);

/* The passes of a run, with their command lines. */
struct profiler_plan {
    struct gpu_run *run;
    const struct profiler_request *request;
    const struct profiler_tool *tool;
    const char *folder; /* absolute */
};

/* Checks what can be checked before anything runs: names in lists, expressions, the folder.
 * ERROR_USAGE. */
int plan_check(const struct profiler_plan *p, struct error *err);
/* Adds the pass that measures times, and the conversion of its result. */
void plan_base(const struct profiler_plan *p);
/* Adds the passes with counters; none with nsys. Errors are those of gpu_counters_plan. */
int plan_counters(const struct profiler_plan *p, const char *arch, struct error *err);
/* Adds the thread trace, if one was requested. */
void plan_att(const struct profiler_plan *p);
