/*
 * The captured addresses as memory of the GPU and the CPU. Ranges of the device: reserved at
 * exactly their address, a handle created, mapped, access for both. Ranges of the host: pages of
 * this process, locked for the GPU, which must see them at the same address (the runtime's virtual
 * memory is made from device memory only; pinned pages are what host pools hand out too).
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_MEMORY_H
#define ROOFTOP_BACKENDS_REPLAY_MEMORY_H

#include "backends/replay/device.h"
#include "backends/replay/hold.h"

struct replay_memory {
    struct replay_device *d;
    const struct replay_plan *plan;
    struct replay_piece *pieces; /* by range */
};

enum replay_place { REPLAY_EXACT, REPLAY_REFUSED, REPLAY_MOVED };

/* Whether there is as much free device memory as the plan needs. */
int replay_memory_fits(const struct replay_device *d, const struct replay_plan *plan,
                       struct replay_failure *f);
void replay_memory_init(struct replay_memory *m, struct replay_device *d,
                        const struct replay_plan *plan);
/* The address only, of the host's ranges also its use by the GPU. *at: where it came to be, if it
 * was moved; why: where it was refused. What is not exact is given back at once. */
enum replay_place replay_memory_reserve(struct replay_memory *m, struct replay_hold *h,
                                        size_t range, uint64_t *at, char why[REPLAY_WHY_BYTES]);
/* After reserve: makes it memory. REPLAY_MEMORY. */
int replay_memory_back(struct replay_memory *m, size_t range, struct replay_failure *f);
/* Both, or REPLAY_RELOCATED. */
int replay_memory_take(struct replay_memory *m, struct replay_hold *h, size_t range,
                       struct replay_failure *f);
/* Gives back all, in reverse order. */
void replay_memory_free(struct replay_memory *m);

#endif
