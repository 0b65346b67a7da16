/*
 * A line of `rooftop doctor` about GPUs. The driver is asked once, in a process of its own
 * (engine/live/ask.h): a thread that hangs in a driver cannot always be ended, and its process
 * cannot end either.
 */
#pragma once

#include "backends/gpu/worker.h"

enum { GPU_PROBE_TIMEOUT_MS = 5000 };

/* source: its ask() must be gpu_probe_answer. */
void gpu_probe(const char *source, const char *id, const char *label, probe_sink sink, void *ctx);
/* Runs in that process: gathers once and returns the row of gpus.sources. */
void *gpu_probe_answer(const struct gpu_worker_ops *ops, size_t *n);
