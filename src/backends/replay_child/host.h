/* What this host can replay: asks the HSA runtime, in a child of its own, for some seconds at
 * most. */
#ifndef ROOFTOP_BACKENDS_REPLAY_CHILD_HOST_H
#define ROOFTOP_BACKENDS_REPLAY_CHILD_HOST_H

#include "engine/replay/replay_host.h"

void replay_child_host(struct replay_host *out);

#endif
