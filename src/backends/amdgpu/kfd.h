/*
 * What the kernel's compute driver (KFD) reports in /sys/class/kfd/kfd: the topology of the machine
 * (nodes, memories, caches), read when it changes, and the processes that compute.
 */
#ifndef ROOFTOP_BACKENDS_AMDGPU_KFD_H
#define ROOFTOP_BACKENDS_AMDGPU_KFD_H

#include "engine/live/gpus.h"

enum { KFD_NODES_MAX = 256, KFD_KINDS_MAX = 16 };

struct kfd_memory {
    /* the kernel's enum: 0 system, 1 visible to the host, 2 private, 3 GDS, 4 LDS, 5 scratch */
    int heap;
    uint64_t size, width, mhz;
};
struct kfd_cache { /* all caches of one level, kind and size */
    int level;
    unsigned type; /* bits: 1 data, 2 instructions, 4 CPU, 8 SIMD */
    uint64_t kib, line, count;
};
struct kfd_node {
    int node;
    char name[64];
    uint64_t gpu_id; /* 0: it is a CPU */
    uint64_t simds, simds_per_cu, waves_per_simd, wave, lds_kib, gfx_version, render, location,
        domain, mhz, xccs, local_mem;
    struct kfd_memory memory[KFD_KINDS_MAX];
    struct kfd_cache cache[KFD_KINDS_MAX];
    int nmemory, ncache;
};
struct kfd {
    struct kfd_node *nodes;
    int n;
    long generation; /* of the topology that was read; -1: none */
    bool present;
};

/* Reads the topology if it has changed. */
void kfd_read(struct kfd *k);
void kfd_free(struct kfd *k);
/* Writes "0000:c1:00.0". Returns out. */
const char *kfd_pci(const struct kfd_node *n, char out[16]);
/* Adds a node's fixed properties to a GPU: numbers, memories and caches. */
void kfd_describe(const struct kfd_node *n, struct gpus_build *b, int gpu);
/* Adds processes and queues of all GPUs in b, by gpu.kfd_id. */
void kfd_processes(struct gpus_build *b);

#endif
