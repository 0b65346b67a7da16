/* Removes processes that are not watched from a snapshot. */
#pragma once

#include "engine/live/snapshot.h"

/* Call it before the snapshot is published. If the target is the whole machine, nothing is removed.
 */
void snapshot_only_target(struct snapshot *s);
