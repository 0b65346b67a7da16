/*
 * What /proc tells about the whole machine: CPU shares, frequency, load, memory, pressure, and the
 * counters of set "system".
 */
#ifndef ROOFTOP_BACKENDS_PROC_SYSTEM_H
#define ROOFTOP_BACKENDS_PROC_SYSTEM_H

#include "backends/proc/topology.h"
#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"

struct system;

/*
 * topo is borrowed until system_close. all_cpus: out->total is the kernel's own sum; otherwise it
 * is the sum of the rows.
 */
struct system *system_open(const struct topology *topo, bool all_cpus);
void system_poll(struct system *s, struct snapshot *out, uint64_t now_ns, struct system_tick *tick);
void system_close(struct system *s);

#endif
