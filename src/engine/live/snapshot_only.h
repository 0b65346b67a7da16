/* Takes out of a snapshot what it tells of processes that are not watched. */
#ifndef ROOFTOP_ENGINE_LIVE_SNAPSHOT_ONLY_H
#define ROOFTOP_ENGINE_LIVE_SNAPSHOT_ONLY_H

#include "engine/live/snapshot.h"

/* Before it is published. Of the whole machine as the target everything is watched. */
void snapshot_only_target(struct snapshot *s);

#endif
