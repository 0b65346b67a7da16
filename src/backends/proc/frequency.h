/*
 * Current frequencies, where cpufreq tells them.
 */
#ifndef ROOFTOP_BACKENDS_PROC_FREQUENCY_H
#define ROOFTOP_BACKENDS_PROC_FREQUENCY_H

#include "backends/proc/topology.h"
#include "engine/live/snapshot.h"

struct frequency;

struct frequency *frequency_open(const struct topology *topo); /* topo is borrowed for life */
/* Sets hz of out->cpus and out->total (the mean of those online). */
void frequency_fill(struct frequency *f, struct snapshot *out, uint64_t now_ns);
void frequency_close(struct frequency *f);

#endif
