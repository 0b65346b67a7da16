#ifndef ROOFTOP_BACKENDS_PROC_PROBE_H
#define ROOFTOP_BACKENDS_PROC_PROBE_H

#include "engine/live/source.h"

/* Reports the capabilities proc.processes, proc.psi, proc.cpufreq, proc.topology, proc.cgroup. */
void proc_probe(capability_sink sink, void *ctx);

#endif
