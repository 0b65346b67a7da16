/*
 * Runs a command under the profiler of the machine's GPUs: once for times, then once for each set
 * of counters that can be counted together. backends/profiler implements it.
 */
#ifndef ROOFTOP_ENGINE_PROFILER_PROFILER_H
#define ROOFTOP_ENGINE_PROFILER_PROFILER_H

#include "engine/live/source.h"
#include "engine/profiler/gpu_run.h"

struct profiler_request {
    const char *tool;     /* "rocprofv3", "nsys"; "auto": what the machine has */
    const char *counters; /* sets and names, gpu_counters.h; NULL: "roofline" with rocprofv3 */
    const char *att;      /* thread trace of kernels that match this expression; NULL none */
    const char *gpu;      /* "gfx942"; NULL: as the base profile says */
    const char *folder;   /* for the result; made */
    const char *generator;
    char **argv;                               /* the command */
    bool replace;                              /* a folder of an earlier run */
    int out_fd;                                /* for the command's output; -1: the same as ours */
    void (*tell)(void *ctx, const char *line); /* receives progress messages; may be NULL */
    void *ctx;
};

struct profiler_ops {
    /* Reports which profilers are installed. Starts none. */
    void (*probe)(capability_sink sink, void *ctx);
    /* What would be run: nothing is started or written. The passes with counters only where gpu is
     * given. Free out after either outcome, as after run. */
    int (*plan)(struct gpu_run *out, const struct profiler_request *r, struct error *err);
    /*
     * 0 where the base profile can be opened, whatever became of the other passes: out says.
     * ERROR_TARGET: there is no such command; ERROR_UNSUPPORTED: no profiler, or it wrote nothing
     * that can be read. A signal for us is the command's too; the passes end with it, *stopped is
     * its number, and what was written is kept.
     */
    int (*run)(struct gpu_run *out, const struct profiler_request *r, int *stopped,
               struct error *err);
};
extern const struct profiler_ops profiler;

#endif
