/* What the files of backends/nvidia share among themselves. */
#pragma once

#include "backends/nvidia/nvml.h"
#include "engine/live/gpus.h"

/* All NVIDIA GPUs of the host from NVML. */

enum { NVIDIA_LOOK_AGAIN_S = 30 }; /* if there is none */

struct nvidia;
struct nvidia *nvidia_new(void);
void nvidia_free(struct nvidia *n);
/* Reads the present state into an empty b. Blocks as long as the driver does. Returns the seconds
 * to wait before the next call; 0: call it at the next tick. */
unsigned nvidia_gather(struct nvidia *n, struct gpus_build *b, uint64_t now_ns);

#define NVIDIA_NO_CALL "this driver's NVML has no such call"

/* v * scale, or a missing value with NVML's reason. */
struct value nvidia_value(const struct nvml *n, int rc, double v, double scale, enum unit unit);
/* Adds compute and graphics processes, and each one's share of the GPU since *last_us, which is
 * updated. */
void nvidia_processes(const struct nvml *n, nvml_device d, struct gpus_build *b, int gpu,
                      unsigned long long *last_us);

/* Calls a function that may be missing: returns its result, or -1. */
#define NVIDIA_CALL(n, member, ...) ((n)->member ? (n)->member(__VA_ARGS__) : -1)
