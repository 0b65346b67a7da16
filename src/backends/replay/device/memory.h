/*
 * Makes the captured addresses memory of the GPU and the CPU. A range of the device is reserved at
 * exactly its address, gets a handle, is mapped, and both may access it. A range of the host is
 * made of pages of this process, locked for the GPU, which must see them at the same address. (The
 * runtime's virtual memory has only device memory; host pools also use pinned pages.)
 */
#pragma once

#include "backends/replay/device/device.h"

struct replay_memory {
    struct replay_device *d;
    const struct replay_plan *plan;
    struct replay_piece *pieces; /* for each range */
};

enum replay_reservation { REPLAY_EXACT, REPLAY_REFUSED, REPLAY_MOVED };

/* Checks that the device has as much free memory as the plan needs. */
int replay_memory_fits(const struct replay_device *d, const struct replay_plan *plan,
                       struct replay_failure *f);
void replay_memory_init(struct replay_memory *m, struct replay_device *d,
                        const struct replay_plan *plan);
/*
 * Reserves only the address; for ranges of the host also the GPU's access. *at: the address, if it
 * was moved; why: the reason, if it was refused. Anything not exact is released at once.
 */
enum replay_reservation replay_memory_reserve(struct replay_memory *m, struct replay_hold *h,
                                              size_t range, uint64_t *at,
                                              char why[REPLAY_WHY_BYTES]);
/* Makes a reserved range memory. REPLAY_MEMORY. */
int replay_memory_back(struct replay_memory *m, size_t range, struct replay_failure *f);
/* Does both, or fails with REPLAY_RELOCATED. */
int replay_memory_take(struct replay_memory *m, struct replay_hold *h, size_t range,
                       struct replay_failure *f);
/* Releases everything, in reverse order. */
void replay_memory_free(struct replay_memory *m);
