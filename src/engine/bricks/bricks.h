/*
 * Instrumented programs at one moment: their execution tree with exact sums, their last spans, the
 * critical path through these, and the roofline of their bricks. It is part of a snapshot; the
 * "brick" source makes it, or a reader of a file.
 */
#pragma once

#include <sys/types.h>

#include "engine/graph/graph.h"
#include "engine/roofline/roofline.h"

enum program_state { PROGRAM_RUNNING, PROGRAM_ENDED, PROGRAM_CRASHED };

struct brick_program {
    pid_t pid;
    const char *name; /* "transformer" */
    const char *path; /* of its recording */
    uint32_t node;    /* of the tree */
    uint8_t state;    /* enum program_state */
    uint8_t sync;     /* enum rooftop_sync */
    bool device;      /* times of the device are recorded */
    /* of a profiler's file: spans and dropped are of all of it, the rest is unknown */
    bool profile;
    uint32_t threads; /* number of threads that recorded something so far */
    uint64_t spans;   /* recorded so far */
    uint64_t dropped; /* spans lost for lack of room */
    uint64_t tokens;
    double tokens_per_s;    /* over the last interval */
    uint64_t device_errors; /* failed calls of its device hooks */
};

/* One step of the critical path, or a span beside it. Times: ns since the start of the window. */
struct brick_span {
    uint64_t start, duration;
    uint64_t slack; /* ns, or GRAPH_UNKNOWN */
    const char *name;
    uint32_t node; /* of the tree; GRAPH_NONE */
    uint32_t lane; /* index into lanes */
    uint8_t kind, category;
    uint8_t depth; /* below its lane's outermost span */
    bool critical; /* on the path */
};
struct brick_lane {
    const char *name; /* "transformer 4711", "cuda:0" */
};

/* Marks of a step: it is a launch's latency, not the span itself; it follows the step before only
 * by the times. */
enum step_mark { STEP_LATENCY = 1, STEP_INFERRED = 2, STEP_WAIT = 4 };

/* The last complete pass: the newest outermost span that has ended, and everything that ran at the
 * same time. */
struct brick_window {
    const char *what;         /* "forward" of transformer 4711 */
    uint64_t start;           /* ns of CLOCK_MONOTONIC */
    uint64_t wall;            /* ns */
    uint64_t path;            /* ns, length of the critical path */
    uint32_t cyclic;          /* 0 except in recordings of earlier versions */
    struct brick_span *spans; /* by start; at most BRICK_WINDOW_SPANS */
    uint32_t nspans;
    uint32_t left_out; /* spans beyond that */
    uint32_t *steps;   /* the path: indices into spans, in order */
    uint64_t *lengths; /* what each step adds, ns */
    uint8_t *marks;    /* of each step, enum step_mark; NULL: none */
    uint64_t *starts;  /* when each begins, ns since start */
    uint32_t nsteps;
    struct brick_lane *lanes;
    uint32_t nlanes;
};
enum { BRICK_WINDOW_SPANS = 4096 };

struct bricks {
    /* graph of sums, finished; its roots are programs. Holds a reference. */
    const struct graph *tree;
    struct brick_program *programs;
    uint32_t nprograms;
    struct brick_window window; /* nspans 0: no pass has ended yet */
    struct roofline roofline;
    const struct cpu_roofs *cpu; /* the measured roofs that the roofline used; NULL: none */
    double interval_s;           /* the time that recent_count and recent_total cover */
};
