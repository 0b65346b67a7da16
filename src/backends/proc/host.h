/*
 * What this machine is: names, processor, hypervisor, container, kernel settings.
 */
#ifndef ROOFTOP_BACKENDS_PROC_HOST_H
#define ROOFTOP_BACKENDS_PROC_HOST_H

#include "engine/live/snapshot.h"

/* Fills everything of h but pmu, pmu_arch and the counts of CPUs (see topology.h). What cannot be
 * read stays "" (or, for paranoid, -100). */
void host_identify(struct host *h);

#endif
