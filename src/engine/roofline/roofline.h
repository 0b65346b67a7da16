/*
 * Where bricks and kernels stand under their backend's roofs.
 *   S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for
 *   Multicore Architectures", CACM 52(4), 2009: attainable FLOP/s = min(peak FLOP/s,
 *   operational intensity x peak bytes/s).
 */
#pragma once

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/roofline/gpu_work.h"

struct cpu_roofs;

/* One ceiling of a roof: the peak of a unit for a data type, or of a level of memory. */
struct ceiling {
    const char *name;   /* "MFMA f16", "HBM" */
    double peak;        /* operations or bytes a second */
    bool memory;        /* true: of a memory level; false: of a unit and type */
    bool extra;         /* only shown; never the binding ceiling */
    uint8_t unit, type; /* of a GPU: enum work_unit, work_type */
    uint8_t level;      /* enum work_level; of a CPU: enum cpu_level (engine/roofs/cpu_roofs.h) */
    double spread;      /* relative, of a CPU's measurement; else 0 */
};
/* A roof: peaks of one backend, the measured ceilings of a CPU, or the ceilings of a GPU. */
struct roof {
    const char *name;    /* "avx2", "avx2 x4" (its threads together), "MI300X" */
    const char *how;     /* "measured at start", "theoretical: ..."; "" unknown */
    double flops, bytes; /* per second; 0 unknown. GPU: of its fastest unit, and of device memory */
    double flops_spread, bytes_spread; /* relative spread of the measurements; NAN unknown */
    const struct ceiling *ceilings;    /* NULL: only flops and bytes are known */
    uint32_t nceilings;
    uint32_t threads; /* of a CPU's measured roof: threads that work together; else 0 */
};
/* The work of a kernel, or of one dispatch, from hardware counters. A rate is over the time of only
 * those dispatches that counted its number; NAN if none did. */
struct roof_work {
    double ops[WORK_UNITS][WORK_TYPES]; /* sum over the dispatches that counted them */
    double bytes[WORK_LEVELS];
    double ops_s[WORK_UNITS][WORK_TYPES]; /* the same per second */
    double bytes_s[WORK_LEVELS];
    double intensity[WORK_LEVELS]; /* all operations / bytes at that level */
    uint32_t dispatches, counted;  /* number of the kernel's dispatches; of those with counters */
    uint64_t counted_ns;           /* time of the counted dispatches */
    const char *const *missing;    /* of a kernel: nnamed counters that would complete it */
    uint32_t nmissing, nnamed;     /* number of missing counters; of those in the list */
    uint32_t first;                /* of a kernel: index in roofline.of of its first dispatch */
    uint32_t dispatch;             /* of one dispatch: its index in the trace; else GRAPH_NONE */
    uint32_t limit;                /* index of the binding ceiling; GRAPH_NONE unknown */
    uint8_t derived;               /* bit 1 << level: bytes from the profiler's own sum */
    bool mixed;                    /* passes counted different counters */
};
/* The time that the rates of a program's point are over. */
enum roof_over {
    OVER_CALLS,  /* all calls, because one thread ran them */
    OVER_SPANS,  /* several threads: when at least one ran it, from the spans still known */
    OVER_BUSIEST /* several threads, no known spans: the busiest thread's time, a lower bound */
};
struct roof_point {
    uint32_t node;     /* in the tree; the first of several places */
    uint32_t places;   /* number of places in the tree that are summed here */
    const char *name;  /* of the brick or kernel */
    uint32_t roof;     /* index into roofs; GRAPH_NONE = no peaks are known */
    uint64_t total;    /* ns, all calls */
    uint64_t calls;    /* number of them */
    uint64_t elapsed;  /* ns that the rates are over */
    uint64_t of_total; /* ns of the calls in the rates: all, or those of known spans */
    uint8_t over;      /* enum roof_over */
    uint32_t threads;  /* working at once, inside kernels too; >= 1 */
    uint32_t limit;    /* under a CPU's measured roof: index of the ceiling that binds; else
                          GRAPH_NONE */
    uint64_t all_flops, all_bytes;               /* work of all calls */
    uint64_t busiest, any, any_flops, any_bytes; /* sums of graph_extra; the rates' work */
    double flops;                                /* FLOP/s reached; NAN: no FLOPs are declared */
    double bytes;                                /* bytes/s reached; NAN: no bytes are declared */
    double intensity;                            /* FLOP/byte; NAN: one of them is unknown */
    /* For a running program, the last interval: ns of all threads, FLOPs and bytes, and their
     * rates. NAN: nothing ended in it, or several threads ran it (the rates above are then those of
     * the last spans already). */
    uint64_t now_total, now_flops, now_bytes;
    double now_rate, now_intensity;
    double bound;                          /* FLOP/s that the roof allows here; 0 without a roof */
    double distance;                       /* 1 - flops/bound: 0 at the roof, negative above it; NaN
                                              without a roof. Without FLOPs: 1 - bytes/peak */
    bool memory_bound;                     /* left of the ridge */
    bool declared;                         /* FLOPs and bytes are declared by the program */
    const struct graph_counters *counters; /* of the graph; NULL: programs counted nothing */
    struct graph_counts *counts;           /* of all its places; NULL: nothing was counted */
    const struct roof_work *work; /* set if the point is from GPU counters, NULL if from the
                                     program. If set, flops, bytes (of device memory), intensity and
                                     bound may be NAN, and i8 operations count as FLOPs */
};
struct roofline {
    struct roof *roofs;
    uint32_t nroofs;
    struct roof_point *points; /* by total, the largest first */
    uint32_t npoints;
    const uint32_t *of; /* dispatches with counters, by kernel, then start; see roof_work.first */
    uint32_t uncounted; /* number of kernels without any counters, which are no points */
    /* why a CPU's point has no measured roof, a sentence without its full stop; NULL: measurements
     * are not missing */
    const char *unmeasured;
    const struct cpu_roofs *cpu; /* the measured roofs that were passed; NULL: none */
};

/*
 * Fills out from a graph of sums. Bricks and kernels with calls, time, and FLOPs or bytes become
 * points. A point with only one of the two has no intensity: its rate is compared with the peak of
 * memory, or of computing, alone. All places of one name under one roof are one point. The roof is
 * that of the nearest backend: the peaks that the backend declares are those of all its threads
 * together. If it declares none and its name is a CPU's instruction set, its ceilings are the
 * measured roofs in `cpu`; the same holds for bricks outside any backend that start no kernel:
 * roofline_cpu.h. The rates of work that several threads ran are over the time in which at least
 * one did (enum roof_over). Arrays are allocated from `memory`; names belong to the graph or to
 * `cpu`. cpu may be NULL: there are no measured roofs.
 */
void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *sums,
                   const struct cpu_roofs *cpu);

/* The whole that shares of time refer to, ns: the time of all kernels if points are from counters,
 * else of all outermost spans (a brick's time includes the kernels inside it). */
uint64_t roofline_whole(const struct roofline *r, const struct graph *sums);

/* Sorts points by total, the largest first. */
void roofline_sort(struct roofline *r);

/* FLOP/s that a roof allows at an intensity (FLOP/byte); 0 if its peaks are unknown. */
double roofline_bound(const struct roof *r, double intensity);

/* Why a point has no intensity: a sentence without its full stop that names what is missing. NULL:
 * it has one, or it is from a GPU's counters. */
const char *roofline_why_no_intensity(const struct roof_point *p);

/* Whether a point lies above its roof by more than rounding, which is impossible for true data. */
bool roofline_above(const struct roof_point *p);
/* Why the point is above its roof, a sentence without its full stop; NULL if it is not. */
const char *roofline_why_above(const struct roofline *r, const struct roof_point *p);
