/* What the files of backends/amdgpu share among themselves. */
#pragma once

#include "backends/amdgpu/metrics.h"
#include "engine/live/gpus.h"

/* All AMD GPUs of the host, from sysfs, hwmon, gpu_metrics, KFD and fdinfo, without root. */
struct amdgpu;
struct amdgpu *amdgpu_new(void);
void amdgpu_free(struct amdgpu *a);
/* Reads the present state into an empty b. Blocks as long as the driver does. */
void amdgpu_gather(struct amdgpu *a, struct gpus_build *b, uint64_t now_ns);
/* Whether there is anything to read: checks a directory, uses no GPU. */
bool amdgpu_present(void);

/*
 * What DRM reports about the clients of a graphics driver: /proc/PID/fdinfo/FD. Several descriptors
 * may belong to one client, which counts once. Compute through KFD is not included.
 */
struct fdinfo {
    char driver[32], pci[16];
    uint64_t client;
    uint64_t vram, gtt;                 /* bytes */
    uint64_t gfx, compute, copy, video; /* ns of engine time since the client started */
    bool has_vram, has_gtt, has_engine;
};
/* Parses one file. False where it is not a DRM client or names no driver. */
bool fdinfo_parse(struct fdinfo *out, const char *text, size_t n);
/* Whether a name in a folder of the kernel is a number: a pid, a descriptor. */
bool fdinfo_is_number(const char *text);

struct fdinfo_watch;
struct fdinfo_watch *fdinfo_new(void);
void fdinfo_free(struct fdinfo_watch *w);
/* Adds the usage of the clients of the GPUs in b to its processes. */
void fdinfo_gather(struct fdinfo_watch *w, struct gpus_build *b, uint64_t now_ns);

/*
 * What the kernel's compute driver (KFD) reports in /sys/class/kfd/kfd: the topology of the machine
 * (nodes, memories, caches), read when it changes, and the processes that compute.
 */
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

/*
 * One card of amdgpu in sysfs: /sys/class/drm/cardN/device and its hwmon. Files that would wait or
 * wake the GPU are not read: pcie_bw (takes a second), and those of a sleeping GPU.
 */
enum { AMD_CARDS_MAX = 64 };
struct amd_card {
    int number;        /* N of cardN */
    char device[64];   /* "/sys/class/drm/card0/device" */
    char pci[16];      /* "0000:c1:00.0" */
    char hwmon[128];   /* "": none */
    unsigned did, rev; /* PCI device and revision */
};

/*
 * Lists the cards whose driver is amdgpu, by number, without connectors. Returns how many, at most
 * AMD_CARDS_MAX.
 */
int amd_cards(struct amd_card *out);
/* What is kept of a card: the previous sample, for differences, and what never changes. */
struct amd_before {
    char pci[16];
    struct metrics metrics;
    uint64_t time_ns;
    bool valid;
    char name[128]; /* from libdrm's table; looked up once */
    bool named;
};
void amd_describe(const struct amd_card *c, struct gpus_build *b, int gpu,
                  struct amd_before *before);
/* Whether the GPU sleeps; then files that would wake it are not read. */
bool amd_asleep(const struct amd_card *c);
extern const char amd_sleeps[]; /* the reason */
/* Reads everything that changes. before: that of this card; updated. */
void amd_now(const struct amd_card *c, struct gpus_build *b, int gpu, struct amd_before *before,
             uint64_t now_ns);

/* Reads numbers from files of one card, with the reason where there is none. */

/* Makes a missing value. rc: -errno of a file that could not be read, or 0: it was empty. */
struct value amd_reason(int rc, enum unit unit);
/* The number at the start of the file, times scale. */
struct value amd_number(const char *folder, const char *name, double scale, enum unit unit);
/* The same for the card's hwmon. */
struct value amd_sensor(const struct amd_card *c, const char *name, double scale, enum unit unit);
