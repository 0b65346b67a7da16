/*
 * Spans of instrumented programs as they end, each told once: for what sends them away while
 * programs run. The source of bricks fills it, on the thread that samples.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/ids.h"
#include "engine/graph/graph.h"

/* New spans of one program; valid until `take` returns. */
struct brick_spans {
    uint64_t program; /* no other program of this run has this number */
    pid_t pid;
    bool command; /* it is the command that rooftop started */
    bool over;    /* the program has ended: nothing more comes */
    const char *name;
    /* Its program, threads, and each span below its thread; not finished. Times of CLOCK_MONOTONIC.
     */
    const struct graph *graph;
    uint32_t first, n;             /* the nodes of the spans: first, first + 1, … */
    const uint64_t *span, *parent; /* n each: the program's numbers of the spans and of those around
                                      them, which may end later; parent 0: none */
    uint64_t to_unix_ns;           /* added to the graph's times, makes them times of day */
    uint64_t missed;               /* records that were overwritten before they were read, since
                                      the last call */
};

struct brick_told; /* what was told of a program */
struct brick_stream {
    void (*take)(void *ctx, const struct brick_spans *s);
    void (*tick)(void *ctx); /* after each look at all programs, also where nothing is new */
    void *ctx;
    uint64_t since_ns; /* spans that ended before are not told: engine clock */
    struct brick_told
        *told; /* the source's; it outlives the source, so that nothing is told twice */
    size_t n, cap;
    struct ids by_program; /* indexes of told */
};
/* Frees what the source has left in it. */
void brick_stream_free(struct brick_stream *s);

/* Where to continue with a program. */
struct brick_told {
    uint64_t program, to_unix_ns;
    uint64_t *heads; /* records told of each of its regions */
    uint32_t regions;
    bool over;
};
/* The program with this number; *fresh: it was not known yet. Valid until the next call. */
struct brick_told *brick_stream_program(struct brick_stream *s, uint64_t program, bool *fresh);
/* Whether a region's record is new; if so, it counts as told. Call it in the order of records. */
bool brick_told_advance(struct brick_told *t, uint32_t region, uint64_t record);
