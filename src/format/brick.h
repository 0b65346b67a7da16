/*
 * The file in shared memory that an instrumented program writes and rooftop reads.
 *
 * Each thread has a region that it alone writes. Numbers that may change while they are read are
 * written with atomic stores. Sums have two slots: the slot that the version points to is complete;
 * an update fills the other slot, then moves the version. So a writer that dies in between leaves
 * complete sums. Before a ring overwrites records it announces them (reserved); afterwards it tells
 * which are complete (head). Regions outlive their threads: the next new thread takes over the
 * region of one that has ended. Offsets are bytes from the start of the file; a reader trusts none
 * of them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/histogram_buckets.h"

#define BRICK_MAGIC  UINT64_C(0x316b636972627472) /* "rtbrick1" in memory */
#define BRICK_SUFFIX ".bricks"
#define BRICK_PREFIX "rooftop-"
#define BRICK_FOLDER "/dev/shm"
#define BRICK_NONE   UINT32_MAX
enum {
    BRICK_VERSION = 3,
    BRICK_VERSION_UNCOUNTED = 2, /* ends before the members about counters */
    BRICK_THREADS = 4096,
    BRICK_DESCS = 4096,
    BRICK_STRINGS = 256 << 10,
    BRICK_CODES = 256,
    BRICK_CODE_MAX = 4 << 20,
    BRICK_CHUNKS = 12, /* chunk k holds BRICK_CHUNK_FIRST << k nodes */
    BRICK_CHUNK_FIRST = 16,
    /* nodes whose histograms share cache lines, because page walks cost the most */
    BRICK_BUCKET_NODES = 16,
    BRICK_RING_LARGE = 8192, /* records, for the first threads */
    BRICK_RING_SMALL = 1024,
    BRICK_LARGE_RINGS = 16,
    BRICK_COUNTERS = 8 /* counters of a span */
};

enum brick_state { BRICK_RUNNING = 1, BRICK_ENDED = 2 };

struct brick_header {
    uint64_t magic;
    uint32_t version, header_size; /* sizeof: a reader with another layout refuses the file */
    uint32_t pid, state;           /* pid: in the program's own namespace */
    uint64_t start_ticks;          /* /proc/self/stat field 22; pid and start identify a process */
    uint64_t created_ns, created_wall_ns;
    uint64_t capacity, used; /* bytes */
    uint64_t epoch_ns, tokens, device_errors;
    uint64_t dropped_names, dropped_nodes, dropped_threads;
    uint32_t sync, device; /* enum rooftop_sync; 1: a device was set */
    uint32_t nthreads, ndescs, ncodes, strings_used;
    uint64_t threads, descs, strings, codes; /* offsets of the tables */
    char program[64], exe[256];
    /* Since version 3. The events counted in each span (rooftop/counters.h), as offsets into
     * strings: the event's name, and the reason if it is not counted, else 0. Written before
     * ncounters, which is 0 until then. */
    uint32_t ncounters, counters_fast; /* counters_fast 1: read without system calls */
    uint32_t counters[BRICK_COUNTERS], counter_whys[BRICK_COUNTERS];
    uint64_t uncounted_threads; /* threads whose spans are not counted */
};

/* What a rooftop_id identifies. */
enum brick_kind {
    BRICK_KIND_BRICK,
    BRICK_KIND_LAYER,
    BRICK_KIND_FUNCTION,
    BRICK_KIND_KERNEL,
    BRICK_KIND_TRANSFER,
    BRICK_KIND_TASK,
    BRICK_KIND_BACKEND,
    BRICK_KINDS
};
struct brick_desc {
    uint32_t kind, category;
    uint32_t name;     /* offset into strings; 0 = "" */
    uint32_t from, to; /* names: file of a function, ends of a transfer, `how` of a backend */
    uint32_t number;   /* index of a layer, line of a function, direction of a transfer */
    uint64_t hash;
    /* for a backend, grid holds the spreads of its peaks */
    uint32_t grid[3], block[3], shared_bytes, pad;
    double peak_flops, peak_bytes;
    uint64_t budget_ns; /* may change: not part of its identity */
};

struct brick_code {
    uint64_t hash;
    uint32_t kind, name, path, pad;
    uint64_t offset, size;
};

struct brick_thread {
    uint32_t live, tid;
    uint32_t current; /* the present open node */
    uint32_t nnodes;
    uint64_t head,
        reserved;  /* number of records written; the same including the one being written */
    uint64_t ring; /* offset */
    uint32_t ring_size, pad; /* records, a power of two */
    uint64_t chunks[BRICK_CHUNKS];
    uint64_t polls; /* polls of tasks that were not ready */
    char name[16];
    /* Since version 3: for each chunk of n nodes, offset of 2n struct brick_counts; 0: none. */
    uint64_t counts[BRICK_CHUNKS];
};

/* The sums of one node. squares: the bits of a double, in ns^2. */
struct brick_sums {
    uint64_t count, total, min, max, squares, elements, bytes, flops;
};
/* The counts of the spans of a node. It has two slots, which follow the version of the sums. */
struct brick_counts {
    uint64_t spans;            /* counted spans, without those that end on another thread */
    uint64_t enabled, running; /* ns in which the events were enabled, and in which they counted */
    uint64_t value[BRICK_COUNTERS];
    uint64_t pad;
};
struct brick_key {
    uint32_t parent, desc;
};
/* A chunk of n nodes: keys[n], versions[n], sums[2n],
 * buckets[n / BRICK_BUCKET_NODES][HISTOGRAM_BUCKETS][BRICK_BUCKET_NODES]. */
#define BRICK_CHUNK_BYTES(n)                                                                       \
    ((uint64_t)(n) * (sizeof(struct brick_key) + sizeof(uint64_t) +                                \
                      2 * sizeof(struct brick_sums) + HISTOGRAM_BUCKETS * sizeof(uint32_t)))

enum brick_record_type { BRICK_SPAN, BRICK_EDGE, BRICK_THREAD };
enum {                           /* flags in addition to the type */
       BRICK_RECORD_DEVICE = 16, /* device time */
       BRICK_RECORD_JOIN = 32    /* BRICK_EDGE: `after` ended only after `before` had ended */
};
struct brick_record {
    uint64_t span, parent; /* BRICK_EDGE: before and after; BRICK_THREAD: tid */
    uint64_t start, end;
    uint64_t elements, bytes, flops;
    uint32_t node, type;
};

/* A span's number: how often its process was forked (3 bits), 1 + the index of its region (13), its
 * node (16), a count (32). */
enum { BRICK_NODE_SHIFT = 32, BRICK_REGION_SHIFT = 48, BRICK_REGION_BITS = 13 };
enum { BRICK_NODES = BRICK_CHUNK_FIRST * ((1 << BRICK_CHUNKS) - 1) }; /* below 2^16 */
static inline uint32_t brick_span_region(uint64_t span)
{
    return ((uint32_t)(span >> BRICK_REGION_SHIFT) & ((1u << BRICK_REGION_BITS) - 1)) - 1;
}
static inline uint32_t brick_span_node(uint64_t span)
{
    return (uint32_t)(span >> BRICK_NODE_SHIFT) & 0xffff;
}

/* Index of bucket 0 of the chunk's i-th node; each further bucket is BRICK_BUCKET_NODES later. */
static inline uint32_t brick_first_bucket(uint32_t i)
{
    return i / BRICK_BUCKET_NODES * (HISTOGRAM_BUCKETS * BRICK_BUCKET_NODES) +
           i % BRICK_BUCKET_NODES;
}

/* Pointers to a node's numbers, for the writer. */
struct brick_place {
    struct brick_key *key;
    uint64_t *version;
    struct brick_sums *sums; /* two */
    uint32_t *buckets;       /* BRICK_BUCKET_NODES apart */
};
/* Finds the i-th node in the chunk of n nodes at base. */
static inline struct brick_place brick_place_in(char *base, uint32_t n, uint32_t i)
{
    struct brick_place p = {.key = (struct brick_key *)(void *)base + i};
    base += n * sizeof *p.key;
    p.version = (uint64_t *)(void *)base + i;
    base += n * sizeof *p.version;
    p.sums = (struct brick_sums *)(void *)base + 2 * (size_t)i;
    base += 2 * n * sizeof *p.sums;
    p.buckets = (uint32_t *)(void *)base + brick_first_bucket(i);
    return p;
}

static inline unsigned brick_chunk_of(uint32_t node, uint32_t *in_chunk)
{
    unsigned k = (unsigned)(31 - __builtin_clz(node / BRICK_CHUNK_FIRST + 1));
    *in_chunk = node - BRICK_CHUNK_FIRST * ((1u << k) - 1);
    return k;
}
