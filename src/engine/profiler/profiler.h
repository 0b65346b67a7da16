/*
 * Runs a command under the profiler of the machine's GPUs: once for times, then once for each set
 * of counters that can be counted together. backends/profiler implements it.
 */
#pragma once

#include "engine/live/source.h"
#include "engine/profiler/gpu_run.h"

struct profiler_request {
    const char *tool; /* "rocprofv3", "nsys"; "auto": whichever is installed */
    /* sets and names of counters (gpu_counters.h); NULL: "roofline" with rocprofv3 */
    const char *counters;
    const char *att; /* records a thread trace of kernels that match this expression; NULL: none */
    const char *gpu; /* architecture, "gfx942"; NULL: the base profile's */
    const char *folder; /* folder for the result; it is created */
    const char *generator;
    char **argv;  /* the command */
    bool replace; /* the folder of an earlier run may be replaced */
    int out_fd;   /* standard output of the command; -1: the same as rooftop's */
    void (*tell)(void *ctx, const char *line); /* receives progress messages; may be NULL */
    void *ctx;
};

struct profiler_ops {
    /* Reports which profilers are installed. Starts none. */
    void (*probe)(probe_sink sink, void *ctx);
    /* Fills *out with what would be run; nothing is started or written. Passes for counters are
     * planned only if gpu is given. Free *out in either case, as after run. */
    int (*plan)(struct gpu_run *out, const struct profiler_request *r, struct error *err);
    /*
     * Runs all passes. Returns 0 if the base profile can be opened, even if other passes failed:
     * *out says which. ERROR_TARGET: the command does not exist; ERROR_UNSUPPORTED: no profiler,
     * or it wrote nothing readable. A signal to rooftop reaches the command too; then no further
     * pass is started, *stopped is its number, and what was written is kept.
     */
    int (*run)(struct gpu_run *out, const struct profiler_request *r, int *stopped,
               struct error *err);
};
extern const struct profiler_ops profiler;
