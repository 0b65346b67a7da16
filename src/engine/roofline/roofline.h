/*
 * Where bricks and kernels stand under their backend's roofs.
 *   S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for
 *   Multicore Architectures", CACM 52(4), 2009: attainable FLOP/s = min(peak FLOP/s,
 *   operational intensity x peak bytes/s).
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_H

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/roofline/gpu_work.h"

/* One of several ceilings of a roof: what a unit can do of a data type, or a level of memory. */
struct ceiling {
    const char *name;   /* "MFMA f16", "HBM" */
    double peak;        /* operations or bytes a second */
    bool memory;        /* of a level, else of a unit and type */
    bool extra;         /* to be shown: it binds nothing */
    uint8_t unit, type; /* enum work_unit, work_type */
    uint8_t level;      /* enum work_level */
};
/* A roof: peaks of one backend, or the ceilings of a GPU. */
struct roof {
    const char *name;    /* "avx2", "MI300X" */
    const char *how;     /* "measured at start", "theoretical: ..."; "" unknown */
    double flops, bytes; /* a second; 0 unknown. Of a GPU: its highest unit's, device memory's */
    double flops_spread, bytes_spread; /* how far measurements lay apart, relative; NAN not told */
    const struct ceiling *ceilings;    /* NULL: flops and bytes are all there is */
    uint32_t nceilings;
};
/* What hardware counters tell of a kernel, or of one dispatch. Rates are over the time of just
 * those dispatches that counted the number; NAN where none did. */
struct roof_work {
    double ops[WORK_UNITS][WORK_TYPES]; /* of all dispatches that counted them */
    double bytes[WORK_LEVELS];
    double ops_s[WORK_UNITS][WORK_TYPES]; /* the same, a second */
    double bytes_s[WORK_LEVELS];
    double intensity[WORK_LEVELS]; /* operation/byte: the same operations at each level */
    uint32_t dispatches, counted;  /* of this kernel; of those, with counters */
    uint64_t counted_ns;           /* that these took */
    const char *const *missing;    /* counters that would complete it, of a kernel: nnamed */
    uint32_t nmissing, nnamed;     /* all; those in the list */
    uint32_t first;                /* of a kernel: its dispatches begin there in roofline.of */
    uint32_t dispatch;             /* of one dispatch: which of the trace; GRAPH_NONE */
    uint32_t limit;                /* the ceiling that binds first; GRAPH_NONE unknown */
    uint8_t derived;               /* bit 1 << level: of the profiler's own sum of bytes */
    bool mixed;                    /* not every dispatch counted everything: several passes */
};
/* What the rates of a program's point are over. */
enum roof_over {
    OVER_CALLS,  /* all its calls: one thread ran them */
    OVER_SPANS,  /* several threads: the time in which any ran, of the spans that are still known */
    OVER_BUSIEST /* several, and no span is known: the busiest thread's time, the least it can be */
};
struct roof_point {
    uint32_t node;                 /* of the tree; of several places the first */
    uint32_t places;               /* of the tree, summed up */
    const char *name;              /* of the brick or kernel */
    uint32_t roof;                 /* index into roofs; GRAPH_NONE = no peaks are known */
    uint64_t total;                /* ns, all calls */
    uint64_t elapsed;              /* ns: what rates are over */
    uint64_t of_total;             /* ns of all calls that the rates are of: total, or of spans */
    uint8_t over;                  /* enum roof_over */
    uint64_t all_flops, all_bytes; /* of all calls */
    uint64_t busiest, any, any_flops, any_bytes; /* sums of graph_extra's; the work of the rates */
    double flops;                                /* FLOP/s reached */
    double bytes;                                /* bytes/s reached */
    double intensity;                            /* FLOP/byte */
    double bound;                 /* FLOP/s the roof allows at this intensity; 0 without a roof */
    double distance;              /* 1 - flops/bound: 0 at the roof, negative above it; NaN
                                     without a roof */
    bool memory_bound;            /* left of the ridge */
    bool declared;                /* FLOPs and bytes are what the program says */
    const struct roof_work *work; /* of counters of a GPU; NULL: of the program. Then flops, bytes
                                     (of device memory), intensity and bound may be NAN, and i8
                                     operations count as FLOPs */
};
struct roofline {
    struct roof *roofs;
    uint32_t nroofs;
    struct roof_point *points; /* by total, the largest first */
    uint32_t npoints;
    const uint32_t *of; /* of points with work: dispatches of the trace that have counters, a
                           kernel's together, as they began */
    uint32_t uncounted; /* kernels of a profile without any counters: no points */
};

/* Peaks are those of all threads that work in a backend. What several threads run is over the time
 * in which any of them did (enum roof_over).
 *
 * Bricks and kernels with calls, time, FLOPs and bytes are points, all places of one name under one
 * roof together; the roof is the nearest backend. Arrays go into memory; names stay the graph's. */
void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *sums);

/* What shares of time are of, ns: all kernels' time where points are of counters, else that of all
 * outermost spans. A kernel inside of a brick is in the brick's time already. */
uint64_t roofline_whole(const struct roofline *r, const struct graph *sums);

/* The order of points: by total, the largest first. */
void roofline_sort(struct roofline *r);

/* FLOP/s that a roof allows at an intensity (FLOP/byte); 0 where it has no peak. */
double roofline_bound(const struct roof *r, double intensity);

/* Above its roof, as nothing can be: by more than rounding. */
bool roofline_above(const struct roof_point *p);
/* The likely reason, a sentence without its end; NULL where it is not above. */
const char *roofline_why_above(const struct roofline *r, const struct roof_point *p);

#endif
