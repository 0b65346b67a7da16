/*
 * A report of bricks by name, over all places in the tree, with the share of time of each category.
 * Time counts once: a brick's share excludes the bricks inside it, so that the categories and the
 * time between bricks add up to the whole.
 */
#pragma once

#include "base/arena.h"
#include "engine/graph/graph_counters.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/value/histogram.h"

struct brick_row {
    const char *name;
    uint8_t kind, category;
    const char *variant;      /* backend (or program) it ran in; "" = there is only one */
    struct graph_work sum;    /* of all its places */
    struct graph_extra extra; /* the same */
    uint64_t own;             /* ns without the bricks inside it; only for bricks */
    uint64_t self; /* ns without bricks and kernels inside it; these add up over all rows */
    double mean, deviation, p50, p95, p99; /* ns; NaN unknown */
    double elements_per_s;                 /* NaN if the elements are unknown */
    bool timed;                            /* false: its calls have no times */
    bool over_budget;                      /* the mean of its calls */
    const struct graph_counters *counters; /* of the graph; NULL: nothing was counted */
    struct graph_counts counts;            /* of all its places; calls 0: not counted */
    bool has_calls;                        /* whether `calls` was filled */
    struct call_sum calls;                 /* without those of bricks and kernels inside it */
};
struct brick_report {
    struct brick_row *rows; /* bricks by total, the largest first; then kernels */
    uint32_t nrows;
    uint64_t total; /* ns: all outermost spans of all threads */
    uint64_t category[CATEGORIES], between;
    uint64_t samples[CATEGORIES]; /* calls of bricks with a time */
    bool by_program;              /* variants are programs, else backends */
    bool split;
    bool has_calls;                     /* what follows was filled, and the rows' calls */
    struct call_sum outside, all_calls; /* outside any brick; all that were traced */
    uint64_t outlasting; /* calls that ended after their brick: the rest of their time is outside */
};

/* split: separate rows for different backends (or programs, if there are several). */
void brick_report_make(struct brick_report *out, struct arena *memory, const struct graph *sums,
                       bool split);

/* The row that has a node of these sums, or of the calls that they are of; GRAPH_NONE: none. */
uint32_t brick_report_row(const struct brick_report *r, const struct graph *g, uint32_t node);

/* Compares one brick in two variants: the ratio of the means, and whether the difference is
 * significant (Welch's t-test over all calls, stats.h). */
struct brick_difference {
    double ratio; /* of the means, b / a; NaN */
    double p;     /* the caller adjusts it for the number of rows; 1 = too few calls */
};
struct brick_difference brick_compare(const struct brick_row *a, const struct brick_row *b);

/* Budgets from a TOML file:  [budget]  RmsNorm = "5us"  "gemv_avx2" = 0.000020
 * (seconds, or a text with ns, us, ms, s). Set in every node of that name. */
int brick_budgets_load(struct graph *sums, const char *path, struct error *err);
