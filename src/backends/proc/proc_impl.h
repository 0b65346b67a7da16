/* What the files of backends/proc share among themselves. */
#pragma once

#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"
#include "engine/live/source.h"

/* The CPUs that are shown, and their arrangement: sockets, cores, memory nodes, last-level caches,
 * kinds. */
struct topology {
    int ncpus;
    struct cpu *cpus; /* ncpus rows with the fixed members set, sorted by id; owned */
    int nsockets, ncores, nnodes;
    bool known; /* false if /sys does not describe the CPUs */
};

/* wanted: TARGET_MAX_CPUS flags, or NULL for all. There is always at least one CPU. Free it with
 * topology_free. */
void topology_read(struct topology *t, const bool *wanted);
void topology_free(struct topology *t);

/* Current frequencies of CPUs, if cpufreq reports them. */
struct frequency;

/* topo is borrowed until frequency_close */
struct frequency *frequency_open(const struct topology *topo);
/* Sets hz of out->cpus and of out->total (the mean of the online CPUs). */
void frequency_fill(struct frequency *f, struct snapshot *out, uint64_t now_ns);
void frequency_close(struct frequency *f);

/* Identifies this machine: names, processor, hypervisor, container, kernel settings. */

/* Fills all fields of h except pmu, pmu_arch and the counts of CPUs (struct topology). A field that
 * cannot be read stays "" (paranoid: -100). */
void host_identify(struct host *h);

/* Bytes over the network and to disks, as counters of set "system". */
struct io;

struct io *io_open(void);
/* Adds network-receive, network-transmit, disk-read and disk-write; uses out->interval_s. */
void io_fill(struct io *io, struct snapshot *out);
void io_close(struct io *io);

/* Reports the capabilities proc.processes, proc.psi, proc.cpufreq, proc.topology, proc.cgroup. */
void proc_probe(probe_sink sink, void *ctx);

/* Facts of /proc about the whole machine: CPU shares, frequency, load, memory, pressure, and the
 * counters of set "system". */
struct system;

/* topo is borrowed until system_close. all_cpus: out->total is the kernel's own sum; otherwise it
 * is the sum of the rows. */
struct system *system_open(const struct topology *topo, bool all_cpus);
void system_poll(struct system *s, struct snapshot *out, uint64_t now_ns, struct system_tick *tick);
void system_close(struct system *s);
