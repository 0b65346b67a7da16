/*
 * What is known of instrumented programs at one moment: their execution tree with exact sums, their
 * last spans, the critical path through them, and where their bricks stand under the roofline. Part
 * of a snapshot; made by the "brick" source, or by a reader of a file.
 */
#ifndef ROOFTOP_ENGINE_BRICKS_BRICKS_H
#define ROOFTOP_ENGINE_BRICKS_BRICKS_H

#include <sys/types.h>

#include "engine/roofline/gpu_work.h"
#include "engine/graph/graph.h"

enum program_state { PROGRAM_RUNNING, PROGRAM_ENDED, PROGRAM_CRASHED };

struct brick_program {
    pid_t pid;
    const char *name; /* "transformer" */
    const char *path; /* of the file it records in */
    uint32_t node;    /* of the tree */
    uint8_t state;    /* enum program_state */
    uint8_t sync;     /* enum rooftop_sync */
    bool device;      /* times of the device are recorded */
    bool
        profile; /* of a profiler's file: spans and dropped are of all of it, the rest is unknown */
    uint32_t threads; /* that recorded anything, so far */
    uint64_t spans;   /* recorded so far */
    uint64_t dropped; /* that found no room */
    uint64_t tokens;
    double tokens_per_s;    /* over the last interval */
    uint64_t device_errors; /* failed calls of its device hooks */
};

/* One step of the critical path, or a span beside it. Times: ns since window_start. */
struct brick_span {
    uint64_t start, duration;
    uint64_t slack; /* GRAPH_UNKNOWN where it is not known */
    const char *name;
    uint32_t node; /* of the tree; GRAPH_NONE */
    uint16_t lane; /* index into lanes */
    uint8_t kind, category;
    uint8_t depth; /* below its lane's outermost span */
    bool critical; /* on the path */
};
struct brick_lane {
    const char *name; /* "transformer 4711", "cuda:0" */
};

/* A launch's latency, not the span itself; after the step before only by the times. */
enum step_mark { STEP_LATENCY = 1, STEP_INFERRED = 2 };

/* The last whole pass: the newest outermost span that has ended, and all that ran beside it. */
struct brick_window {
    const char *what;         /* "forward" of transformer 4711 */
    uint64_t start;           /* ns of CLOCK_MONOTONIC */
    uint64_t wall;            /* ns */
    uint64_t path;            /* ns, length of the critical path */
    uint32_t cyclic;          /* spans left out of it: their dependencies go round in a circle */
    struct brick_span *spans; /* by start; at most BRICK_WINDOW_SPANS */
    uint32_t nspans;
    uint32_t left_out; /* spans beyond that */
    uint32_t *steps;   /* the path: indices into spans, in order */
    uint64_t *lengths; /* what each step adds, ns */
    uint8_t *marks;    /* of each step, enum step_mark; NULL: none */
    uint64_t *starts;  /* when each can begin at the earliest, ns since window_start */
    uint32_t nsteps;
    struct brick_lane *lanes;
    uint32_t nlanes;
};
enum { BRICK_WINDOW_SPANS = 4096 };

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
    uint64_t busiest, any, any_flops, any_bytes; /* sums of graph_work's; the work of the rates */
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

struct bricks {
    const struct graph *tree; /* of sums, finished; roots are programs. Holds a reference. */
    struct brick_program *programs;
    uint32_t nprograms;
    struct brick_window window; /* nspans 0: no pass has ended yet */
    struct roofline roofline;
    double interval_s; /* that recent_count and recent_total cover */
};

#endif
