/* Whether this host can replay a capture, and if not, why. The part that asks the GPU is a
 * callback.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/capture/capture.h"

enum { REPLAY_HOST_GPUS = 32, REPLAY_GPU_ISAS = 4, REPLAY_WHY_MAX = 320 };

struct replay_gpu {
    char name[64]; /* "AMD Instinct MI300X" */
    char isa[REPLAY_GPU_ISAS][64];
    size_t nisas;
    uint64_t memory; /* bytes of its largest pool; 0 = unknown */
};
struct replay_host {
    bool known;               /* false: it could not be found out, see why */
    char why[REPLAY_WHY_MAX]; /* why nothing can be replayed here; "" = something can */
    struct replay_gpu gpu[REPLAY_HOST_GPUS]; /* in the order of the runtime, which --agent uses */
    size_t ngpus;
    bool emulated; /* a GPU is a test double */
};
/* Finds out about the host; may take seconds, never hangs. */
typedef void replay_host_fn(struct replay_host *out);

enum replay_can { REPLAY_CAN, REPLAY_CANNOT, REPLAY_CAN_UNKNOWN };
/* Whether the host can replay c. why: the reason if it cannot or it is unknown; else "". */
enum replay_can replay_host_can(const struct replay_host *h, const struct capture *c,
                                char why[REPLAY_WHY_MAX]);
/* The index of the GPU to use: `wanted`, or if only others can replay c, the first of those. */
size_t replay_host_choose(const struct replay_host *h, const struct capture *c, size_t wanted);
/* Whether one GPU can replay c: checks its instruction set and the size of its memory. why: filled
 * if it cannot. */
bool replay_gpu_can(const struct replay_gpu *g, const struct capture *c, char why[REPLAY_WHY_MAX]);
