/*
 * Holds the planned ranges before the HSA runtime is initialised, so that it puts nothing of its
 * own there. Ranges of the host stay: they become the memory. Ranges of the device are let go one
 * by one, right before the runtime reserves them.
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_HOLD_H
#define ROOFTOP_BACKENDS_REPLAY_HOLD_H

#include <stdbool.h>

#include "backends/replay/failure.h"
#include "backends/replay/plan.h"

struct replay_hold {
    const struct replay_plan *plan;
    bool *held; /* by range */
};

/*
 * 0; or REPLAY_RELOCATED, naming what is in the way, and nothing is held. failed (may be NULL): for
 * each range why it could not be held (""), and then those that could are held and 0 is returned.
 */
enum { REPLAY_WHY_BYTES = 192 };
int replay_hold(struct replay_hold *h, const struct replay_plan *plan,
                char (*failed)[REPLAY_WHY_BYTES], struct replay_failure *f);
void replay_hold_release(struct replay_hold *h, size_t range);
void replay_hold_free(struct replay_hold *h); /* lets go of all that are still held */

#endif
