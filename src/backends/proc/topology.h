/*
 * Which CPUs are shown, and how they are arranged: sockets, cores, memory nodes, last-level caches,
 * kinds.
 */
#ifndef ROOFTOP_BACKENDS_PROC_TOPOLOGY_H
#define ROOFTOP_BACKENDS_PROC_TOPOLOGY_H

#include "engine/live/snapshot.h"

struct topology {
    int ncpus;
    struct cpu *cpus; /* ncpus rows with the fixed members set, sorted by id; owned */
    int nsockets, ncores, nnodes;
    bool known; /* false where /sys does not describe the CPUs */
};

/*
 * wanted: TARGET_MAX_CPUS flags, or NULL for all. There is always at least one CPU. Free it with
 * topology_free.
 */
void topology_read(struct topology *t, const bool *wanted);
void topology_free(struct topology *t);

#endif
