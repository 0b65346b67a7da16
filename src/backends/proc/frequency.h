/* Current frequencies of CPUs, if cpufreq reports them. */
#ifndef ROOFTOP_BACKENDS_PROC_FREQUENCY_H
#define ROOFTOP_BACKENDS_PROC_FREQUENCY_H

#include "backends/proc/topology.h"
#include "engine/live/snapshot.h"

struct frequency;

/* topo is borrowed until frequency_close */
struct frequency *frequency_open(const struct topology *topo);
/* Sets hz of out->cpus and of out->total (the mean of the online CPUs). */
void frequency_fill(struct frequency *f, struct snapshot *out, uint64_t now_ns);
void frequency_close(struct frequency *f);

#endif
