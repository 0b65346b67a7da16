/*
 * What asks a GPU's driver, on a thread of its own: a file of sysfs or a call of a library may take
 * long, or never come back when a GPU hangs. The sampling thread asks for a fresh answer, waits a
 * moment for it, and takes the newest there is; an answer that is overdue is told as such, with
 * every number that it would have held.
 */
#ifndef ROOFTOP_BACKENDS_GPU_WORKER_H
#define ROOFTOP_BACKENDS_GPU_WORKER_H

#include "engine/live/gpus.h"
#include "engine/live/source.h"

struct gpu_worker_ops {
    const char *name; /* "nvidia": of the row in gpus.sources */
    void *(*begin)(void);
    /* Everything as it is now, into an empty b; now_ns: of the tick that asked. Returns seconds
     * after which it wants to be asked again; 0: at every tick. */
    unsigned (*gather)(void *state, struct gpus_build *b, uint64_t now_ns);
    void (*end)(void *state);
};

enum {
    GPU_WORKER_FIRST_MS = 60, /* for the first answer */
    GPU_WORKER_WAIT_MS = 8,   /* for each later one */
    GPU_WORKER_END_MS = 250,  /* for the thread to end */
    GPU_WORKER_STUCK_S = 5
};

struct gpu_worker;
/* NULL with why where no thread can be had. */
struct gpu_worker *gpu_worker_start(const struct gpu_worker_ops *ops, struct error *err);
void gpu_worker_poll(struct gpu_worker *w, struct snapshot *out, uint64_t now_ns);
/* Waits a moment for the thread; one that hangs in the driver is left behind with what it holds. */
void gpu_worker_stop(struct gpu_worker *w);

/* A row of gpus.sources; texts are lent. */
struct gpu_source *gpu_source_tell(struct gpus_build *b, const char *name,
                                   enum gpu_source_state state, const char *text, const char *help);

#endif
