/*
 * What /proc tells of the whole machine: CPU shares, frequency, load, memory, pressure, and the
 * counters of set "system".
 */
#ifndef ROOFTOP_BACKENDS_PROC_SYSTEM_H
#define ROOFTOP_BACKENDS_PROC_SYSTEM_H

#include "backends/proc/topology.h"
#include "engine/live/snapshot.h"

struct system;

/* What the process sweep needs to know of a tick. */
struct system_tick {
    bool have_busy;
    uint64_t busy_ticks; /* USER_HZ all CPUs spent in processes since the previous poll */
    bool have_forks;
    uint64_t forks;  /* since boot */
    double uptime_s; /* 0 = unknown */
};

/* topo is borrowed for life. all_cpus: out->total is the kernel's own sum, else that of the rows.
 */
struct system *system_open(const struct topology *topo, bool all_cpus);
void system_poll(struct system *s, struct snapshot *out, uint64_t now_ns, struct system_tick *tick);
void system_close(struct system *s);

#endif
