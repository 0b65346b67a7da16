/* The passes of a run, with their command lines. */
#ifndef ROOFTOP_BACKENDS_PROFILER_PLAN_H
#define ROOFTOP_BACKENDS_PROFILER_PLAN_H

#include "backends/profiler/tools.h"
#include "engine/profiler/profiler.h"

struct profiler_plan {
    struct gpu_run *run;
    const struct profiler_request *request;
    const struct profiler_tool *tool;
    const char *folder; /* absolute */
};

/*
 * Checks what can be checked before anything runs: names in lists, expressions, the folder.
 * ERROR_USAGE.
 */
int plan_check(const struct profiler_plan *p, struct error *err);
/* Adds the pass that measures times, and the conversion of its result. */
void plan_base(const struct profiler_plan *p);
/* Adds the passes with counters; none with nsys. Errors are those of gpu_counters_plan. */
int plan_counters(const struct profiler_plan *p, const char *arch, struct error *err);
/* Adds the thread trace, if one was requested. */
void plan_att(const struct profiler_plan *p);

#endif
