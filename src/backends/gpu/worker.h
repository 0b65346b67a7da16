/*
 * Reads a GPU's driver on a thread of its own: a file of sysfs or a library call may take long, or
 * never return when a GPU hangs. The sampling thread requests a new answer, waits briefly, and
 * takes the newest. An overdue answer is reported as such, in every number that it would have had.
 */
#pragma once

#include "engine/live/gpus.h"
#include "engine/live/source.h"

struct gpu_worker_ops {
    const char *name; /* "nvidia": the name of its row in gpus.sources */
    void *(*begin)(void);
    /* Reads the present state into an empty b. now_ns: time of the tick that asked. Returns the
     * seconds to wait before the next call; 0: at every tick. */
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
/* Starts the thread; NULL with err if that fails. ops is borrowed. */
struct gpu_worker *gpu_worker_start(const struct gpu_worker_ops *ops, struct error *err);
void gpu_worker_poll(struct gpu_worker *w, struct snapshot *out, uint64_t now_ns);
/*
 * Waits briefly for the thread; one that hangs in the driver is abandoned with everything it holds.
 */
void gpu_worker_stop(struct gpu_worker *w);

/* Adds a row to gpus.sources; texts are borrowed. */
struct gpu_source *gpu_source_tell(struct gpus_build *b, const char *name,
                                   enum gpu_source_state state, const char *text, const char *help);
