/* A synthetic snapshot in which every kind of row and of value occurs, hostile bytes included. */
#ifndef TESTS_SUPPORT_SAMPLE_SNAPSHOT_H
#define TESTS_SUPPORT_SAMPLE_SNAPSHOT_H

#include "engine/live/snapshot.h"

/* Two CPUs, three counters, two metrics, three processes, a notice, an ended command. Unref it. */
struct snapshot *sample_snapshot(void);
/* The first of a run: nothing has a rate yet, no command. */
struct snapshot *sample_first_snapshot(void);

#endif
