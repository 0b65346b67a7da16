/* All NVIDIA GPUs of the host from NVML. */
#pragma once

#include "engine/live/gpus.h"

enum { NVIDIA_LOOK_AGAIN_S = 30 }; /* if there is none */

struct nvidia;
struct nvidia *nvidia_new(void);
void nvidia_free(struct nvidia *n);
/*
 * Reads the present state into an empty b. Blocks as long as the driver does. Returns the seconds
 * to wait before the next call; 0: call it at the next tick.
 */
unsigned nvidia_gather(struct nvidia *n, struct gpus_build *b, uint64_t now_ns);
