/* The fleet at a moment of its past: the keys of time move through the samples of a host. */
#pragma once

#include <stdint.h>

#include "engine/fleet/fleet_run.h"
#include "tui/input/keys.h"

struct fleet_moment {
    uint64_t wall_ns; /* 0: now */
};
/* Moves as an action of time says, through the samples of that host (-1: the first one). *picture
 * becomes that of the moment. false: it is no action of time, or there is no past. */
bool fleet_moment_act(struct fleet_moment *m, enum action a, struct fleet_run *run, int host,
                      struct fleet_picture **picture);
/* " at 12:34:56"; "": now. */
enum { FLEET_MOMENT = 32 };
const char *fleet_moment_text(const struct fleet_moment *m, char out[FLEET_MOMENT]);
