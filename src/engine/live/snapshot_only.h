/* Removes processes that are not watched from a snapshot. */
#ifndef ROOFTOP_ENGINE_LIVE_SNAPSHOT_ONLY_H
#define ROOFTOP_ENGINE_LIVE_SNAPSHOT_ONLY_H

#include "engine/live/snapshot.h"

/* Call it before the snapshot is published. If the target is the whole machine, nothing is removed.
 */
void snapshot_only_target(struct snapshot *s);

#endif
