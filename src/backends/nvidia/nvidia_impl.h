/* Pieces of the NVIDIA backend. */
#ifndef ROOFTOP_BACKENDS_NVIDIA_NVIDIA_IMPL_H
#define ROOFTOP_BACKENDS_NVIDIA_NVIDIA_IMPL_H

#include "backends/nvidia/nvidia.h"
#include "backends/nvidia/nvml.h"

/* "too old a driver: it has no such call" */
#define NVIDIA_NO_CALL "this driver's NVML has no such call"

/* v * scale, or what NVML says. */
struct value nvidia_value(const struct nvml *n, int rc, double v, double scale, enum unit unit);
/* Compute and graphics processes, and what share of the GPU each had since last_us, which moves on.
 */
void nvidia_processes(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                      unsigned long long *last_us);

/* A call whose function may be missing: its return code, or -1. */
#define NVIDIA_CALL(n, member, ...) ((n)->member ? (n)->member(__VA_ARGS__) : -1)

#endif
