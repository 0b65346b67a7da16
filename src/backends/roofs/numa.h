/* NUMA nodes apart: from a CPU of each node to the memory of each, one thread's bandwidth and the
 * latency of a load. */
#ifndef ROOFTOP_BACKENDS_ROOFS_NUMA_H
#define ROOFTOP_BACKENDS_ROOFS_NUMA_H

#include "backends/roofs/crew.h"
#include "engine/roofs/host_roofs.h"

enum { NUMA_NODES_MAX = 16 };
struct numa_node {
    int id;
    int cpu;     /* the first of its CPUs that may be used; -1: it has none, as memory alone */
    bool memory; /* it has some */
    size_t free; /* bytes of it */
};
struct numa_nodes {
    struct numa_node node[NUMA_NODES_MAX];
    uint32_t n; /* nodes above id 1023, or beyond sixteen, are left out */
};

/* Reads /sys/devices/system/node. c: the CPUs that may be used (n: how many). No nodes where the
 * kernel knows of none. */
void numa_read(struct numa_nodes *out, const struct crew *c, uint32_t ncpus);

struct numa_wish {
    struct crew *crew; /* its list of CPUs is as before afterwards */
    size_t bytes;      /* that no cache holds */
    size_t slices;     /* of each measurement */
    const struct numa_node *from, *to;
};
/* Adds a row of bandwidth and one of latency. A node whose memory this process may not use gets a
 * row that says so. Returns 0, -ENOMEM or -EAGAIN: no thread to be had. */
int numa_measure(const struct numa_wish *wish, struct host_roofs *out);

#endif
