/* What the files of backends/roofs share among themselves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/roofs/host_roofs.h"

/* Memory for measurements. */

/* Huge pages if the memory is large and the kernel gives them; or the smallest pages, to include
 * walks through the page tables. */
enum roof_pages { PAGES_HUGE, PAGES_SMALL };

/* Where memory is: on the NUMA node of the thread that first writes it, or on a given node. */
struct roof_place {
    bool on_node;
    uint32_t node;
};
/* Reserves memory, whose pages are made when they are first written. NULL if there is none, or this
 * process may not use that node. The caller frees it with roof_memory_free and the same number of
 * bytes. */
char *roof_memory_reserve(size_t bytes, enum roof_pages pages, struct roof_place place);
/* The same with all its pages, filled with zeros. */
char *roof_memory(size_t bytes, enum roof_pages pages, struct roof_place place);
void roof_memory_free(char *m, size_t bytes); /* NULL allowed */

/* A circle of loads that each wait for the previous one: measures the latency of a working set. */
struct chase {
    void **first;
    char *memory;
    size_t bytes, most; /* bytes of the circle; bytes of its memory */
    bool lent;          /* the memory is the caller's */
    uint64_t random;
};

/* Reserves memory for a circle of at most `most` bytes, which has one cache line so far. Returns 0
 * or -ENOMEM; free it in any case. */
int chase_make(struct chase *c, size_t most, enum roof_pages pages, struct roof_place place);
/* The same in the caller's memory of at least a line, which chase_free does not free. */
void chase_lay(struct chase *c, char *memory, size_t most);
/* Grows the circle to all cache lines of `bytes`, in an order that no prefetcher can guess: puts
 * each new line after a random line, so that all circles have the same probability (the cyclic
 * permutations of Sattolo, "An algorithm to generate a random cyclic permutation", IPL 22(6), 1986;
 * fixed seed). A circle never becomes smaller, and `bytes` is at most `most`. */
void chase_grow(struct chase *c, size_t bytes);
/* Continues for that many iterations of chase_loop. */
void chase_run(struct chase *c, uint64_t iterations);
void chase_free(struct chase *c);

/* Threads that do the same work at once, each on its own CPU. */
enum { CREW_CPUS_MAX = 1024 };
struct crew {
    pthread_mutex_t gate; /* held until all threads have started */
    bool given_up;        /* not all could be started */
    int cpu[CREW_CPUS_MAX];
    uint32_t n;                          /* threads */
    void (*work)(void *own, uint32_t i); /* i: number of the thread */
    void *own;
};

/* Sets cpu[] to the CPUs that the process may use. Returns their number. */
uint32_t crew_find_cpus(struct crew *c);
/* Runs work on the first n CPUs, and waits for all. Returns 0, or -EAGAIN if a thread cannot be
 * started. */
int crew_run(struct crew *c);

/* The levels of memory of this host: the first CPU's caches from /sys, and DRAM. */
struct memory_level {
    char name[8];     /* "L1", "L2", "L3", "DRAM" */
    size_t bytes;     /* size of a cache; DRAM: size of data that fits in no cache */
    uint32_t sharing; /* CPUs that share it; DRAM: all */
    size_t each;      /* DRAM: four times a CPU's share of its last cache; a cache: 0 */
    size_t most;      /* DRAM: limit of the bytes of all threads; a cache: 0 */
};
enum { LEVELS_MAX = 5, LATENCY_LEAST = 4096 };
struct memory_levels {
    struct memory_level level[LEVELS_MAX]; /* nearest first, DRAM last */
    size_t n;
};

/* Reads the levels; without /sys assumes an L1 of 32 KiB and DRAM. */
void levels_read(struct memory_levels *out);
/* Bytes for each of that many threads so that all stay in this level: half of a cache, divided by
 * the threads that share it. DRAM: together four times the size of all last caches, but at most an
 * eighth of the free memory. */
size_t level_share(const struct memory_level *l, uint32_t threads);
/* The largest size whose latency is measured: that of DRAM's level. */
size_t levels_latency_most(const struct memory_levels *l);

/* Loops that keep one unit of a core, or one level of memory, busy and do nothing else. They are in
 * assembly, because a compiler that keeps an accumulator in memory, or merges two, would change the
 * measurement. */

/* Operations in registers. */
struct flop_loop {
    const char *name; /* "256-bit FMA+ADD" */
    const char *type; /* "FP64", "INT8" */
    unsigned width;   /* bits of the vectors; 0: scalars */
    unsigned
        bits; /* bits of an element, for the table of theoretical peaks; 0: it has no row there */
    enum roof_mix mix;
    double operations; /* number of operations of an iteration */
    void (*run)(uint64_t iterations);
    bool (*supported)(void);
};
/* Ends with name NULL. The first loop of a name and type that works here is the best. */
extern const struct flop_loop flop_loops[];

/* Loads and stores. bytes is a multiple of STREAM_GRAIN, and the arrays are aligned to 64. */
enum { STREAM_GRAIN = 1024 };
struct stream_loop {
    const char *name; /* "load", "store", "copy", "triad", "store past caches" */
    unsigned width;   /* bits of the vectors */
    unsigned moved;   /* bytes loaded and stored for each byte of an array: 1, 2, 3 */
    unsigned arrays;
    bool past_caches; /* it writes to memory, for any size */
    /* goes through the first `bytes` of the arrays, `passes` times */
    void (*run)(char *a, const char *b, const char *c, size_t bytes, uint64_t passes);
    bool (*supported)(void);
};
/* Ends with name NULL. The loops of a name are consecutive, the widest first. */
extern const struct stream_loop stream_loops[];

/* A chain of CLOCK_CHAIN additions for each iteration. Each waits for the previous one and takes a
 * cycle on every known CPU. */
enum { CLOCK_CHAIN = 64 };
void clock_loop(uint64_t iterations);

/* Follows pointers: CHASE_LOADS loads in an iteration, each from the address that the previous one
 * loaded. Returns the last address. */
enum { CHASE_LOADS = 16 };
void **chase_loop(void **from, uint64_t iterations);

/* The arrays of a thread for loops of loads and stores. */

/* The memory of a thread, which its loops use one after the other, because the kernel takes longer
 * to clear a gigabyte than a measurement takes. All loops leave zeros in it. */
struct stream_room {
    char *memory;
    size_t bytes;
};
struct stream_part {
    const struct stream_loop *loop;
    char *memory; /* memory of a room; NULL: there was none */
    size_t array; /* bytes of each array, a multiple of chunk or less than it */
    size_t chunk; /* bytes of an array for one pass */
    size_t at;    /* begin of the next pass */
    uint64_t until_ns;
    double bytes, seconds;
};

/* Gives the part the thread's memory. If the room is too small, it gets new memory of at least
 * `least` bytes, which the calling thread writes first, so that it is near its CPU. */
void stream_take(struct stream_part *p, struct stream_room *room, size_t least);
void stream_room_free(struct stream_room *room);
/* Goes through the next chunk of the arrays, `times` times. Returns its bytes. */
size_t stream_pass(struct stream_part *p, uint64_t times);

/* Latency of DRAM under load: in one thread each load waits for the previous one, while the others
 * make traffic with a given share of reads, for a given part of their time. (P. Esmaili-Dokht and
 * others, "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024,
 * describes such curves.) */
struct loaded_wish {
    struct crew *crew;
    uint32_t cpus;            /* number of CPUs, at least 2 */
    struct chase *chase;      /* its circle is larger than all caches */
    struct stream_room *room; /* of each thread */
    size_t share;             /* bytes of the arrays of each other thread */
    uint64_t run_ns;          /* duration of a run */
};

/* The number of curves, one for each share of reads. */
unsigned loaded_curves(void);
/* Measures curve k, from no load to the most that the threads can make, and adds a row for each
 * point that was not disturbed too much. Returns 0, -ENOMEM or -EAGAIN (no thread). */
int loaded_measure(const struct loaded_wish *wish, unsigned k, struct host_roofs *out);

/* Pairs of NUMA nodes: the bandwidth of a thread and the latency of a load from a CPU of each node
 * to the memory of each node. */
enum { NUMA_NODES_MAX = 16 };
struct numa_node {
    int id;
    int cpu;     /* its first usable CPU; -1: none, as a node with only memory */
    bool memory; /* the node has memory */
    size_t free; /* bytes of it */
};
struct numa_nodes {
    struct numa_node node[NUMA_NODES_MAX];
    uint32_t n; /* without ids above 1023 and nodes after the sixteenth */
};

/* Reads /sys/devices/system/node. c: the ncpus CPUs that may be used. Finds no nodes if the kernel
 * has none. */
void numa_read(struct numa_nodes *out, const struct crew *c, uint32_t ncpus);

struct numa_wish {
    struct crew *crew; /* its list of CPUs is restored afterwards */
    size_t bytes;      /* size that fits in no cache */
    size_t slices;     /* number of slices of each measurement */
    const struct numa_node *from, *to;
};
/* Adds a row of bandwidth and one of latency. A node whose memory this process may not use gets a
 * row that says so. Returns 0, -ENOMEM or -EAGAIN (no thread). */
int numa_measure(const struct numa_wish *wish, struct host_roofs *out);

/* Short slices of work, each between slices that measure the clock. */

/* The measured work: run does n iterations of it. */
struct slice_work {
    void (*run)(const struct slice_work *w, uint64_t n);
    void *own;
    double amount; /* number of operations or bytes of an iteration */
    uint64_t warm; /* iterations that load its data into the caches again after an interruption */
};

struct slice_result {
    double per_cycle; /* median of amount / cycles */
    double clock;     /* Hz, median */
    double rate;      /* amount a second at that clock: per_cycle * clock */
    double spread;    /* (third quartile - first) / median of per_cycle; NAN: too few slices */
    size_t slices;    /* number of undisturbed slices */
};

enum { SLICES_MAX = 512, SLICES_LEAST = 5 /* least number that gives a spread */ };
/* Runs `slices` slices of about slice_ns each, on the calling thread. */
struct slice_result slices_run(const struct slice_work *w, uint64_t slice_ns, size_t slices);

/* The median of n numbers, which are sorted; and their spread as above. */
double slices_median(double *values, size_t n, double *spread);
uint64_t slices_now(void);  /* ns of CLOCK_MONOTONIC */
long slices_switches(void); /* how often the kernel ran something else on this thread's CPU */
