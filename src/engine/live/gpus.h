/*
 * What one sample knows about the host's GPUs of all vendors; a part of the snapshot.
 *
 * Rows are in flat arrays and name their GPU by index, so that the same tables can copy, store and
 * print them. Texts are never NULL ("" = unknown). Each value has its own unit. A row's name in
 * gpus_tables is its name in JSON and CSV. docs/GPU.md gives the source of each number.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "engine/value/field.h"
#include "engine/value/value.h"

/* What is known about a GPU and does not change while its driver is loaded. */
struct gpu {
    const char *id;      /* stable: "pci:0000:c1:00.0", with "/1" for a partition, "hsa:1" */
    const char *vendor;  /* "AMD", "NVIDIA" */
    const char *name;    /* marketing name if the driver gives one, else "" */
    const char *isa;     /* "gfx942", "sm_90" */
    const char *driver;  /* "amdgpu 6.12.0", "nvidia 580.65.06" */
    const char *pci;     /* "0000:c1:00.0" */
    const char *uuid;    /* as the driver prints it */
    const char *mode;    /* partition mode, MIG, performance level: settings that change what the
                            numbers mean */
    const char *backend; /* "amdgpu", "nvidia", "hsa" */
    struct value cus;    /* number of compute units (AMD) or streaming multiprocessors (NVIDIA) */
    struct value simds;  /* number of SIMDs in all compute units */
    struct value wave;   /* lanes of a wave */
    struct value waves;  /* most waves that a SIMD can hold */
    struct value xccs;   /* number of dies with compute units */
    struct value lds;    /* bytes of LDS in a compute unit */
    struct value max_hz, max_mem_hz;
    struct value mem_total, visible_total, gtt_total;
    struct value mem_width; /* bits of the memory bus */
    struct value numa;      /* NUMA node of the host that the GPU is attached to */
    struct value render;    /* minor number of /dev/dri/renderD… */
    struct value power_min, power_max;
    struct value temp_limit; /* temperature at which the GPU slows itself down */
    struct value pcie_max_width, pcie_max_speed;
    uint64_t kfd_id; /* the kernel's gpu_id; 0 = none */
};

/* The current numbers of the GPUs, in the same order as struct gpu. */
struct gpu_now {
    struct value gfx_busy, mem_busy, media_busy;   /* % */
    struct value mem_used, visible_used, gtt_used; /* bytes */
    struct value gfx_hz, mem_hz, soc_hz, fabric_hz, video_hz;
    struct value power, power_cap; /* W */
    struct value energy;           /* J since the counter was started */
    struct value temp_edge, temp_junction, temp_mem, temp_soc;
    struct value fan_rpm, fan_percent;
    struct value throttled; /* % of the interval that the GPU was throttled. Where only the state is
                               known: 100 = now, 0 = not now */
    const char *throttle_why; /* why: "power, hot spot"; "" = not throttled, or not known */
    struct value ecc_corrected, ecc_uncorrected; /* errors since the driver was loaded */
    struct value pcie_width, pcie_speed;         /* lanes; transfers/s of a lane */
    struct value pcie_rx, pcie_tx;               /* B/s into, out of the GPU */
    struct value pcie_replays;                   /* since the driver was loaded */
    struct value link_read, link_write;          /* XGMI, B/s */
    struct value processes, queues;              /* number of processes and queues */
    struct value pcie_total;                     /* B/s, both directions */
    struct value dram_read, dram_write;          /* B/s */
};

/* A pool of memory, or the caches of one level. */
struct gpu_pool {
    int gpu;                /* index of the GPU; -1 = memory of the host */
    const char *kind;       /* "memory", "cache", "pool" (of the HSA runtime) */
    const char *name;       /* "HBM", "L2", "global" */
    const char *flags;      /* "fine-grained, kernarg", "data" */
    const char *source;     /* "KFD", "HSA" */
    struct value size;      /* bytes of one pool or cache */
    struct value count;     /* number of equal pools or caches */
    struct value granule;   /* bytes: granularity of allocations, or the line of a cache */
    struct value width, hz; /* memory only: bus width in bits, clock in Hz */
};

struct gpu_queue {
    int gpu, pid, id;
    const char *type;  /* "compute", "sdma", "sdma-xgmi", "aql" */
    struct value size; /* bytes of the queue's ring buffer */
};

/* What one process uses of one GPU. */
struct gpu_process {
    int gpu, pid;
    const char *name, *user, *kind; /* kind: "compute", "graphics", "compute+graphics" */
    struct value mem, gtt;          /* bytes */
    struct value busy;              /* % of the GPU, as the driver accounts it */
    struct value cus;               /* compute units its waves occupy now */
    struct value copy, video;       /* % of the copy and video engines */
    struct value queues;
    struct value evicted; /* seconds that its queues were evicted, since it started */
};

/* An agent as the HSA runtime reports it. */
struct gpu_agent {
    int gpu; /* index of the GPU; -1 = a CPU, or a GPU that no other backend reports */
    const char *kind, *name, *product, *isas, *pci;
    struct value cus, queues_max, node;
};

enum gpu_source_state { GPU_SOURCE_ABSENT, GPU_SOURCE_WAITING, GPU_SOURCE_BROKEN, GPU_SOURCE_OK };
/* A backend that was asked for GPUs, and what it answered. */
struct gpu_source {
    int state; /* enum gpu_source_state */
    const char *name, *text,
        *help; /* "amdgpu"; what was found, or why nothing was; what would help */
};

struct gpus {
    struct gpu *gpu;
    struct gpu_now *now;
    size_t n;
    struct gpu_pool *pools;
    size_t npools;
    struct gpu_queue *queues;
    size_t nqueues;
    struct gpu_process *processes;
    size_t nprocesses;
    struct gpu_agent *agents;
    size_t nagents;
    struct gpu_source *sources;
    size_t nsources;
    uint8_t emulated;    /* a device is emulated, for tests: every screen says so */
    const char *runtime; /* "HSA 1.14, virtual memory"; "" = the runtime was not asked */
};

/* Most GPUs, and most rows of a table, that a backend may report. What is left out becomes a
 * notice of its source. */
enum { GPUS_MAX = 128, GPU_ROWS_MAX = 16384 };

/*
 * --- the tables: one for each array, for code that handles all fields alike ---
 */
enum gpus_array {
    GPUS_GPU,
    GPUS_NOW,
    GPUS_POOLS,
    GPUS_QUEUES,
    GPUS_PROCESSES,
    GPUS_AGENTS,
    GPUS_SOURCES,
    GPUS_ARRAYS
};
struct gpus_table {
    const char *name;     /* "queues" */
    struct fields fields; /* FIELD_TEXT, FIELD_INT, FIELD_U64, FIELD_VALUE */
    size_t rows, n;       /* offsets in struct gpus of the array and of its length */
    bool of_gpu;          /* rows begin with the index of a GPU */
};
extern const struct gpus_table gpus_tables[GPUS_ARRAYS];
void *gpus_rows(const struct gpus *g, enum gpus_array a, size_t *n);

/*
 * --- building: each backend fills a struct gpus_build of its own, then merges it into a snapshot
 * ---
 */
struct gpus_build {
    struct gpus g;
    struct arena arena;
    size_t cap[GPUS_ARRAYS];
};
void gpus_clear(struct gpus_build *b); /* removes all rows, keeps the memory */
void gpus_free(struct gpus_build *b);
/* Adds a GPU whose values are all missing for the reason `why` (a static string). Returns its
 * index, or -1 when GPUS_MAX are there already. */
int gpus_add(struct gpus_build *b, const char *why);
/* Adds a row: numbers 0, texts "", values missing for the reason `why`. Returns NULL when the
 * table is full. The row is valid until the next one is added to the same table. */
void *gpus_add_row(struct gpus_build *b, enum gpus_array a, const char *why);
const char *gpus_text(struct gpus_build *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets the reason of all missing values of a row. */
void gpus_missing(enum gpus_array a, void *row, const char *why);

struct snapshot;
/* Copies all rows of `more` to the end of the snapshot's tables and adapts their indices. A GPU
 * whose PCI address the snapshot already has is not added: what was reported first stays. */
void gpus_merge(struct snapshot *s, const struct gpus *more);
/* The index of the GPU at this PCI address, or -1. */
int gpus_find_pci(const struct gpus *g, const char *pci);
