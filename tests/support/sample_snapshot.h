/* A synthetic snapshot that contains every kind of row and value, and hostile bytes. */
#pragma once

#include "engine/live/snapshot.h"

/* Two CPUs, three counters, two metrics, three processes, a notice, and a command that has ended.
 * The caller unrefs it. */
struct snapshot *sample_snapshot(void);
/* The first snapshot of a run: it has no rates yet, and no command. */
struct snapshot *sample_first_snapshot(void);
