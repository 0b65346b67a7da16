/* What the files of the NVIDIA backend share. */
#pragma once

#include "backends/nvidia/nvidia.h"
#include "backends/nvidia/nvml.h"

#define NVIDIA_NO_CALL "this driver's NVML has no such call"

/* v * scale, or a missing value with NVML's reason. */
struct value nvidia_value(const struct nvml *n, int rc, double v, double scale, enum unit unit);
/*
 * Adds compute and graphics processes, and each one's share of the GPU since *last_us, which is
 * updated.
 */
void nvidia_processes(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                      unsigned long long *last_us);

/* Calls a function that may be missing: returns its result, or -1. */
#define NVIDIA_CALL(n, member, ...) ((n)->member ? (n)->member(__VA_ARGS__) : -1)
