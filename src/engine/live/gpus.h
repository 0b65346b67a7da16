/*
 * What one sample knows about the host's GPUs of all vendors; a part of the snapshot.
 *
 * Rows are in flat arrays and name their GPU by index, so that the same tables can copy, store and
 * print them. Texts are never NULL ("" = unknown). Each value has its own unit. A row's name in
 * gpus_tables is its name in JSON and CSV. docs/GPU.md gives the source of each number.
 */
#ifndef ROOFTOP_ENGINE_LIVE_GPUS_H
#define ROOFTOP_ENGINE_LIVE_GPUS_H

#include <stdbool.h>

#include "base/arena.h"
#include "engine/value/field.h"
#include "engine/value/value.h"

/* What does not change while the driver is loaded. */
struct gpu {
    const char *id;      /* stable: "pci:0000:c1:00.0", with "/1" for a partition, "hsa:1" */
    const char *vendor;  /* "AMD", "NVIDIA" */
    const char *name;    /* marketing name where the driver tells one */
    const char *isa;     /* "gfx942", "sm_90" */
    const char *driver;  /* "amdgpu 6.12.0", "nvidia 580.65.06" */
    const char *pci;     /* "0000:c1:00.0" */
    const char *uuid;    /* as the driver prints it */
    const char *mode;    /* partition mode, MIG, performance level: what bends the numbers */
    const char *backend; /* "amdgpu", "nvidia", "hsa" */
    struct value cus;    /* compute units, streaming multiprocessors */
    struct value simds;  /* of all compute units */
    struct value wave;   /* lanes of a wave */
    struct value waves;  /* that a SIMD holds at most */
    struct value xccs;   /* dies with compute units */
    struct value lds;    /* bytes a compute unit */
    struct value max_hz, max_mem_hz;
    struct value mem_total, visible_total, gtt_total;
    struct value mem_width; /* bits of the memory bus */
    struct value numa;      /* node of the host */
    struct value render;    /* minor number of /dev/dri/renderD… */
    struct value power_min, power_max;
    struct value temp_limit; /* where it slows down */
    struct value pcie_max_width, pcie_max_speed;
    uint64_t kfd_id; /* the kernel's gpu_id; 0 = none */
};

/* The same GPUs in the same order, as they are now. */
struct gpu_now {
    struct value gfx_busy, mem_busy, media_busy;   /* % */
    struct value mem_used, visible_used, gtt_used; /* bytes */
    struct value gfx_hz, mem_hz, soc_hz, fabric_hz, video_hz;
    struct value power, power_cap; /* W */
    struct value energy;           /* J since the counter began */
    struct value temp_edge, temp_junction, temp_mem, temp_soc;
    struct value fan_rpm, fan_percent;
    struct value throttled;   /* % of the interval, or 100 where something slows it now, 0 if not */
    const char *throttle_why; /* "power, hot spot"; "" = nothing, or not known */
    struct value ecc_corrected, ecc_uncorrected; /* errors since the driver was loaded */
    struct value pcie_width, pcie_speed;         /* lanes; transfers/s a lane */
    struct value pcie_rx, pcie_tx;               /* B/s into, out of the GPU */
    struct value pcie_replays;                   /* since the driver was loaded */
    struct value link_read, link_write;          /* XGMI, B/s */
    struct value processes, queues;              /* how many there are */
    struct value pcie_total;                     /* B/s, both directions */
    struct value dram_read, dram_write;          /* B/s */
};

/* A kind of memory, or of cache. */
struct gpu_pool {
    int gpu;                /* index; -1 = the host's */
    const char *kind;       /* "memory", "cache", "pool" (of the HSA runtime) */
    const char *name;       /* "HBM", "L2", "global" */
    const char *flags;      /* "fine-grained, kernarg", "data" */
    const char *source;     /* "KFD", "HSA" */
    struct value size;      /* bytes of one */
    struct value count;     /* how many such there are */
    struct value granule;   /* bytes: granularity of allocations; line of a cache */
    struct value width, hz; /* of memory: bits, clock */
};

struct gpu_queue {
    int gpu, pid, id;
    const char *type;  /* "compute", "sdma", "sdma-xgmi", "aql" */
    struct value size; /* bytes of its ring */
};

/* What a process uses of one GPU. */
struct gpu_process {
    int gpu, pid;
    const char *name, *user, *kind; /* kind: "compute", "graphics", "compute+graphics" */
    struct value mem, gtt;          /* bytes */
    struct value busy;              /* % of the GPU, as the driver accounts it */
    struct value cus;               /* compute units its waves occupy now */
    struct value copy, video;       /* % of copy and video engines */
    struct value queues;
    struct value evicted; /* s its queues were evicted, in all */
};

/* An agent as the HSA runtime sees it. */
struct gpu_agent {
    int gpu; /* index; -1 = a CPU, or no other backend knows it */
    const char *kind, *name, *product, *isas, *pci;
    struct value cus, queues_max, node;
};

enum gpu_source_state { GPU_SOURCE_ABSENT, GPU_SOURCE_WAITING, GPU_SOURCE_BROKEN, GPU_SOURCE_OK };
/* What was looked for. */
struct gpu_source {
    int state;                      /* enum gpu_source_state */
    const char *name, *text, *help; /* "amdgpu"; what was found, or why nothing; what would help */
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
    uint8_t emulated;    /* one of them is a test double: every screen says so */
    const char *runtime; /* "HSA 1.14, virtual memory"; "" = not asked */
};

/* How many a backend may tell at most; what is beyond is told as a notice of its source. */
enum { GPUS_MAX = 128, GPU_ROWS_MAX = 16384 };

/*
 * --- the tables: one for each array, for code that goes through all fields ---
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
    const char *name;         /* "queues" */
    struct fields fields;     /* FIELD_TEXT, FIELD_INT, FIELD_U64, FIELD_VALUE */
    const char *const *names; /* of the fields */
    size_t rows, n;           /* where struct gpus has the array and its length */
    bool of_gpu;              /* rows begin with the index of a GPU */
};
extern const struct gpus_table gpus_tables[GPUS_ARRAYS];
void *gpus_rows(const struct gpus *g, enum gpus_array a, size_t *n);

/*
 * --- building: a backend's own, then copied into a snapshot ---
 */
struct gpus_build {
    struct gpus g;
    struct arena arena;
    size_t cap[GPUS_ARRAYS];
};
void gpus_clear(struct gpus_build *b); /* keeps the memory */
void gpus_free(struct gpus_build *b);
/* A GPU whose every value is missing with this reason (static); its index, -1: there are too many.
 */
int gpus_add(struct gpus_build *b, const char *why);
/* Zeroed, texts "", values missing with `why`; NULL: too many. Valid until the next of its kind. */
void *gpus_add_row(struct gpus_build *b, enum gpus_array a, const char *why);
const char *gpus_text(struct gpus_build *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Every value of the row that is not known says this instead. */
void gpus_missing(enum gpus_array a, void *row, const char *why);

struct snapshot;
/* Appends all of `more`, copied, to what the snapshot has; indices follow. A GPU whose PCI address
 * is there already is that one: it stays as it was told first. */
void gpus_merge(struct snapshot *s, const struct gpus *more);
/* The GPU at this PCI address, -1 none. */
int gpus_find_pci(const struct gpus *g, const char *pci);

#endif
