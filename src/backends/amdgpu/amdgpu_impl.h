/* What the files of backends/amdgpu share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/live/gpus.h"

/* Parses the binary file gpu_metrics of amdgpu: a header {u16 size, u8 format, u8 content} and a
 * structure of that version. A field of all ones was not measured. Layouts and units:
 * metrics_table.c. */

enum { METRICS_BYTES_MAX = 65535 }; /* the maximum of the header's size field */

enum metrics_field {
    METRICS_TEMP_EDGE, /* °C */
    METRICS_TEMP_HOTSPOT,
    METRICS_TEMP_MEM,
    METRICS_TEMP_HBM, /* the hottest stack */
    METRICS_TEMP_SOC,
    METRICS_GFX_BUSY, /* % */
    METRICS_MEM_BUSY,
    METRICS_MEDIA_BUSY, /* the busiest engine */
    METRICS_POWER,      /* W */
    METRICS_ENERGY,     /* J, only grows */
    METRICS_GFX_HZ,     /* the fastest die */
    METRICS_SOC_HZ,
    METRICS_MEM_HZ,
    METRICS_FABRIC_HZ,
    METRICS_VIDEO_HZ,
    METRICS_THROTTLE,        /* bits whose meaning depends on the chip */
    METRICS_THROTTLE_COMMON, /* bits with the same meaning on all chips */
    METRICS_FAN_RPM,
    METRICS_PCIE_WIDTH,     /* lanes */
    METRICS_PCIE_SPEED,     /* transfers/s */
    METRICS_PCIE_BANDWIDTH, /* B/s, present */
    METRICS_PCIE_REPLAYS,
    METRICS_LINK_READ, /* B over XGMI, only grows */
    METRICS_LINK_WRITE,
    /* accumulations so far; those below grow with it while their condition holds */
    METRICS_ACC_COUNT,
    METRICS_ACC_PROCHOT,
    METRICS_ACC_POWER,
    METRICS_ACC_SOCKET_TEMP,
    METRICS_ACC_VR_TEMP,
    METRICS_ACC_HBM_TEMP,
    METRICS_DRAM_READ, /* B/s */
    METRICS_DRAM_WRITE,
    METRICS_FIELDS
};

struct metrics {
    unsigned format, content; /* version: 1.3 */
    size_t size;              /* from the header */
    bool has[METRICS_FIELDS]; /* the version has it and it was measured */
    uint64_t raw[METRICS_FIELDS];
    double v[METRICS_FIELDS]; /* raw in the unit above */
};

/* Parses a file. Returns 0 or ERROR_INPUT: cut, an unknown version, or a size that does not fit the
 * version. path: for err. */
int metrics_parse(struct metrics *out, const void *data, size_t n, const char *path,
                  struct error *err);
/* The share of the time between two samples of a GPU in which the accumulator grew, in %; -1:
 * unknown. */
double metrics_residency(const struct metrics *now, const struct metrics *before,
                         enum metrics_field acc);
/* Describes the bits of METRICS_THROTTLE_COMMON: "power, hot spot"; "" if none is set. Returns out.
 */
const char *metrics_throttle_text(uint64_t bits, char *out, size_t size);

/* --- the table --- */
struct metrics_layout_field {
    uint8_t field, width, count; /* enum metrics_field; bytes of one value; number of values */
    uint16_t offset;
    double scale; /* raw * scale has the field's unit */
};
struct metrics_layout {
    uint8_t format, content;
    uint16_t size; /* sizeof the structure in the first release of this version */
    const struct metrics_layout_field *field;
    size_t n;
};
extern const struct metrics_layout metrics_layouts[];
extern const size_t metrics_nlayouts;

/* All AMD GPUs of the host, from sysfs, hwmon, gpu_metrics, KFD and fdinfo, without root. */
struct amdgpu;
struct amdgpu *amdgpu_new(void);
void amdgpu_free(struct amdgpu *a);
/* Reads the present state into an empty b. Blocks as long as the driver does. */
void amdgpu_gather(struct amdgpu *a, struct gpus_build *b, uint64_t now_ns);
/* Whether there is anything to read: checks a directory, uses no GPU. */
bool amdgpu_present(void);

/* DRM's report about a client of a graphics driver: /proc/PID/fdinfo/FD. Several descriptors may
 * belong to one client, which counts once. Compute through KFD is not included. */
struct fdinfo {
    char driver[32], pci[16];
    uint64_t client;
    uint64_t vram, gtt;                 /* bytes */
    uint64_t gfx, compute, copy, video; /* ns of engine time since the client started */
    bool has_vram, has_gtt, has_engine;
};
/* Parses one file. false if it is no DRM client or names no driver. */
bool fdinfo_parse(struct fdinfo *out, const char *text, size_t n);
/* Whether a name in a folder of the kernel is a number: a pid, a descriptor. */
bool fdinfo_is_number(const char *text);

struct fdinfo_watch;
struct fdinfo_watch *fdinfo_new(void);
void fdinfo_free(struct fdinfo_watch *w);
/* Adds the usage of the clients of the GPUs in b to its processes. */
void fdinfo_gather(struct fdinfo_watch *w, struct gpus_build *b, uint64_t now_ns);

/* The report of the kernel's compute driver (KFD) in /sys/class/kfd/kfd: the topology of the
 * machine (nodes, memories, caches), read when it changes, and the processes that compute. */
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

/* One card of amdgpu in sysfs: /sys/class/drm/cardN/device and its hwmon. Files that would wait or
 * wake the GPU are not read: pcie_bw (takes a second), and those of a sleeping GPU. */
enum { AMD_CARDS_MAX = 64 };
struct amd_card {
    int number;        /* N of cardN */
    char device[64];   /* "/sys/class/drm/card0/device" */
    char pci[16];      /* "0000:c1:00.0" */
    char hwmon[128];   /* "": none */
    unsigned did, rev; /* PCI device and revision */
};

/* Lists the cards whose driver is amdgpu, by number, without connectors. Returns how many, at most
 * AMD_CARDS_MAX. */
int amd_cards(struct amd_card *out);
/* Kept data of a card: the previous sample, for differences, and facts that never change. */
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
/* Reads everything that changes. before: the kept data of this card; updated. */
void amd_now(const struct amd_card *c, struct gpus_build *b, int gpu, struct amd_before *before,
             uint64_t now_ns);

/* Reads numbers from files of one card, or the reason why there is none. */

/* Makes a missing value. rc: -errno of a file that could not be read, or 0: it was empty. */
struct value amd_reason(int rc, enum unit unit);
/* The number at the start of the file, times scale. */
struct value amd_number(const char *folder, const char *name, double scale, enum unit unit);
/* The same for the card's hwmon. */
struct value amd_sensor(const struct amd_card *c, const char *name, double scale, enum unit unit);
