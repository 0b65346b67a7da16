/* What the files of backends/roofs share among themselves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/roofs/host_roofs.h"

/* Memory that is measured. */

/* Huge pages where it is large and the kernel gives them; or the smallest ones, with which walks
 * through the page tables are measured, too. */
enum roof_pages { PAGES_HUGE, PAGES_SMALL };

/* Where memory lies: on the NUMA node of the thread that writes it first, or on a certain one. */
struct roof_place {
    bool on_node;
    uint32_t node;
};
/*
 * Room that has no pages yet: each comes when it is first written. NULL where there is none, or no
 * memory of that node for this process. The caller frees it with roof_memory_free and the same
 * number of bytes.
 */
char *roof_memory_reserve(size_t bytes, enum roof_pages pages, struct roof_place place);
/* The same with all its pages, which are zeros. */
char *roof_memory(size_t bytes, enum roof_pages pages, struct roof_place place);
void roof_memory_free(char *m, size_t bytes); /* NULL allowed */

/* Loads that each wait for the one before: the latency of a working set. */
struct chase {
    void **first;
    char *memory;
    size_t bytes, most; /* of the circle; of its memory */
    bool lent;          /* the memory is the caller's */
    uint64_t random;
};

/*
 * Reserves memory for a circle of at most `most` bytes, which has one cache line so far. Returns 0
 * or -ENOMEM; free it in any case.
 */
int chase_make(struct chase *c, size_t most, enum roof_pages pages, struct roof_place place);
/* The same in memory that is there already, at least a line, which chase_free leaves. */
void chase_lay(struct chase *c, char *memory, size_t most);
/*
 * Makes the circle one through all cache lines of `bytes`, in an order that no prefetcher can
 * guess: each new line comes after a line drawn at random, so that all circles are as likely (the
 * cyclic permutations of Sattolo, "An algorithm to generate a random cyclic permutation", IPL
 * 22(6), 1986; fixed seed). A circle never becomes smaller, and `bytes` is at most `most`.
 */
void chase_grow(struct chase *c, size_t bytes);
/* Goes on for that many iterations of chase_loop. */
void chase_run(struct chase *c, uint64_t iterations);
void chase_free(struct chase *c);

/* Threads that do the same at once, each on a CPU of its own. */
enum { CREW_CPUS_MAX = 1024 };
struct crew {
    pthread_mutex_t gate; /* held until all threads are there */
    bool given_up;        /* not all could be started */
    int cpu[CREW_CPUS_MAX];
    uint32_t n;                          /* threads */
    void (*work)(void *own, uint32_t i); /* i: of the thread */
    void *own;
};

/* Sets cpu[] to the CPUs that the process may use. Returns their number. */
uint32_t crew_find_cpus(struct crew *c);
/* Runs work on the first n CPUs, and waits for all. Returns 0 or -EAGAIN: no thread to be had. */
int crew_run(struct crew *c);

/* The levels of memory of this host: what /sys says of the first CPU's caches, and DRAM. */
struct memory_level {
    char name[8];     /* "L1", "L2", "L3", "DRAM" */
    size_t bytes;     /* of a cache; of DRAM: what is gone through so that no cache has it */
    uint32_t sharing; /* CPUs that share it; DRAM: all */
    size_t each;      /* DRAM: four times a CPU's part of its last cache; a cache: 0 */
    size_t most;      /* DRAM: bytes of all threads at most; a cache: 0 */
};
enum { LEVELS_MAX = 5, LATENCY_LEAST = 4096 };
struct memory_levels {
    struct memory_level level[LEVELS_MAX]; /* nearest first, DRAM last */
    size_t n;
};

/* Without /sys there are an L1 of 32 KiB and DRAM. */
void levels_read(struct memory_levels *out);
/*
 * Bytes for each of that many threads which all stay in this level: half of a cache, divided by
 * those that share it. Of DRAM: four times the last cache in all, or of all last caches where the
 * CPUs have several; at most an eighth of the memory that is free.
 */
size_t level_share(const struct memory_level *l, uint32_t threads);
/* The largest size whose latency is worth to be known: that of DRAM's level. */
size_t levels_latency_most(const struct memory_levels *l);

/*
 * Loops that fill one unit of a core, or one level of memory, and do nothing else. Written as
 * assembly: a compiler that keeps an accumulator in memory, or merges two, would measure something
 * else.
 */

/* Operations in registers. */
struct flop_loop {
    const char *name; /* "256-bit FMA+ADD" */
    const char *type; /* "FP64", "INT8" */
    unsigned width;   /* bits of the vectors; 0: scalars */
    unsigned bits;    /* of an element, for the table of theory; 0: it has no row there */
    enum roof_mix mix;
    double operations; /* of one iteration */
    void (*run)(uint64_t iterations);
    bool (*supported)(void);
};
/* Ends with name NULL. Of one name and type the first that works here is the better. */
extern const struct flop_loop flop_loops[];

/* Loads and stores. bytes is a multiple of STREAM_GRAIN, and the arrays are aligned to 64. */
enum { STREAM_GRAIN = 1024 };
struct stream_loop {
    const char *name; /* "load", "store", "copy", "triad", "store past caches" */
    unsigned width;   /* bits of the vectors */
    unsigned moved;   /* bytes loaded and stored for each byte of an array: 1, 2, 3 */
    unsigned arrays;
    bool past_caches; /* it writes to memory, whatever the size */
    /* goes through the first bytes of the arrays, so many times */
    void (*run)(char *a, const char *b, const char *c, size_t bytes, uint64_t passes);
    bool (*supported)(void);
};
/* Ends with name NULL. The loops of one name stand together; the widest that works here comes
 * first. */
extern const struct stream_loop stream_loops[];

/* A chain of additions that each wait for the one before: one takes one cycle on every CPU that is
 * known here. CLOCK_CHAIN additions an iteration. */
enum { CLOCK_CHAIN = 64 };
void clock_loop(uint64_t iterations);

/* Follows pointers: CHASE_LOADS loads an iteration, each of the address that the one before loaded.
 * Returns the last address. */
enum { CHASE_LOADS = 16 };
void **chase_loop(void **from, uint64_t iterations);

/* The arrays of one thread that a loop of loads and stores goes through. */

/* The memory of one thread, which its loops use one after the other: to have the kernel clear a
 * gigabyte for each takes longer than to measure. All loops leave zeros in it. */
struct stream_room {
    char *memory;
    size_t bytes;
};
struct stream_part {
    const struct stream_loop *loop;
    char *memory; /* of a room; NULL: there was none */
    size_t array; /* bytes of each array, a multiple of chunk or less than it */
    size_t chunk; /* bytes of an array that one pass goes through */
    size_t at;    /* where the next pass begins */
    uint64_t until_ns;
    double bytes, seconds;
};

/*
 * Gives the part the thread's memory. Where the room has less than the part needs, it gets new
 * memory, of at least `least` bytes, written on the calling thread, so that it lies near its CPU.
 */
void stream_take(struct stream_part *p, struct stream_room *room, size_t least);
void stream_room_free(struct stream_room *room);
/* Goes through the next chunk of the arrays, so many times. Returns its bytes. */
size_t stream_pass(struct stream_part *p, uint64_t times);

/*
 * Latency of DRAM under load: one thread loads, each load waiting for the one before, while the
 * others make traffic of a certain share of reads, at a certain part of their speed. (P.
 * Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application
 * Profiling", MICRO 2024, describes such curves.)
 */
struct loaded_wish {
    struct crew *crew;
    uint32_t cpus;            /* that take part, at least 2 */
    struct chase *chase;      /* its circle is larger than all caches */
    struct stream_room *room; /* of each thread */
    size_t share;             /* of the arrays of each other thread */
    uint64_t run_ns;          /* of one run */
};

/* The number of curves, one for each share of reads. */
unsigned loaded_curves(void);
/* Measures curve k from no load to all that the threads can make, and adds a row for each point
 * that was not disturbed too much. Returns 0, -ENOMEM or -EAGAIN (no thread to be had). */
int loaded_measure(const struct loaded_wish *wish, unsigned k, struct host_roofs *out);

/* NUMA nodes apart: from a CPU of each node to the memory of each, one thread's bandwidth and the
 * latency of a load. */
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

/* Short slices of work beside slices of the clock. */

/* What is measured: run does n iterations of it. */
struct slice_work {
    void (*run)(const struct slice_work *w, uint64_t n);
    void *own;
    double amount; /* operations or bytes of an iteration */
    uint64_t warm; /* iterations that bring its data into the caches again, after an interruption */
};

struct slice_result {
    double per_cycle; /* median of amount / cycles */
    double clock;     /* Hz, median */
    double rate;      /* amount a second at that clock: per_cycle * clock */
    double spread;    /* of per_cycle: (third quartile - first) / median; NAN: of too few slices */
    size_t slices;    /* that were taken; 0: none was undisturbed */
};

enum { SLICES_MAX = 512, SLICES_LEAST = 5 /* that tell a spread */ };
/* Runs `slices` slices of about slice_ns each, on the calling thread. */
struct slice_result slices_run(const struct slice_work *w, uint64_t slice_ns, size_t slices);

/* The median of n numbers, which are sorted; and their spread as above. */
double slices_median(double *values, size_t n, double *spread);
uint64_t slices_now(void);  /* ns of CLOCK_MONOTONIC */
long slices_switches(void); /* how often the kernel took this thread's CPU away */
