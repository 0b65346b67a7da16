/*
 * Holds the planned ranges before the HSA runtime is initialised, so that it puts nothing there.
 * Ranges of the host stay held: they become the memory. Ranges of the device are released one by
 * one, immediately before the runtime reserves them.
 */
#pragma once

#include <stdbool.h>

#include "backends/replay/device/failure.h"
#include "backends/replay/device/plan.h"

struct replay_hold {
    const struct replay_plan *plan;
    bool *held; /* for each range */
};

/*
 * Holds all ranges. Returns 0, or -1 with REPLAY_RELOCATED, which names what is in the way; then
 * nothing is held. With failed, it returns 0, holds the ranges that it can, and writes for each
 * range why it could not be held, or "".
 */
enum { REPLAY_WHY_BYTES = 192 };
int replay_hold(struct replay_hold *h, const struct replay_plan *plan,
                char (*failed)[REPLAY_WHY_BYTES], struct replay_failure *f);
void replay_hold_release(struct replay_hold *h, size_t range);
void replay_hold_free(struct replay_hold *h); /* releases all ranges that are still held */
