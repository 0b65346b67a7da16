/*
 * A line of `rooftop doctor` about GPUs: their driver is asked once, in a process of its own
 * (engine/live/ask.h). Work that hangs in a driver cannot always be ended, and a process that
 * has a thread there does not end either.
 */
#ifndef ROOFTOP_BACKENDS_GPU_PROBE_H
#define ROOFTOP_BACKENDS_GPU_PROBE_H

#include "backends/gpu/worker.h"

enum { GPU_PROBE_TIMEOUT_MS = 5000 };

/* source: whose ask() is the function below. */
void gpu_probe(const char *source, const char *id, const char *label, capability_sink sink,
               void *ctx);
/* The other side: the row of gpus.sources that one gathering makes. */
void *gpu_probe_answer(const struct gpu_worker_ops *ops, size_t *n);

#endif
