/* Identifies this machine: names, processor, hypervisor, container, kernel settings. */
#ifndef ROOFTOP_BACKENDS_PROC_HOST_H
#define ROOFTOP_BACKENDS_PROC_HOST_H

#include "engine/live/snapshot.h"

/*
 * Fills all fields of h except pmu, pmu_arch and the counts of CPUs (see topology.h). What cannot
 * be read stays "" (for paranoid: -100).
 */
void host_identify(struct host *h);

#endif
