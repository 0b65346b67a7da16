/*
 * Bricks by name, wherever they are in the tree, and what share of the time their categories have.
 * Time is counted once: a brick's share is what it took without the bricks inside of it, so that
 * the categories and what lies between bricks add up to the whole.
 */
#ifndef ROOFTOP_ENGINE_BRICKS_BRICK_REPORT_H
#define ROOFTOP_ENGINE_BRICKS_BRICK_REPORT_H

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/value/histogram.h"

struct brick_row {
    const char *name;
    uint8_t kind, category;
    const char *variant;      /* backend (or program) it ran in; "" = there is only one */
    struct graph_work sum;    /* of all its places */
    struct graph_extra extra; /* the same */
    uint64_t own;             /* ns, without bricks inside of it; of bricks only */
    uint64_t self; /* ns, without bricks and kernels inside of it: of all rows these add up */
    double mean, deviation, p50, p95, p99; /* ns; NaN unknown */
    double elements_per_s;                 /* NaN where no elements were told */
    bool timed;                            /* false: calls that were told without a time */
    bool over_budget;                      /* the mean of its calls */
};
struct brick_report {
    struct brick_row *rows; /* bricks by total, the largest first; then kernels */
    uint32_t nrows;
    uint64_t total; /* ns: all outermost spans of all threads */
    uint64_t category[CATEGORIES], between;
    uint64_t samples[CATEGORIES]; /* calls of bricks with a time */
    bool by_program;              /* variants are programs, else backends */
};

/* split: rows of different backends (or programs, where there are several) stay apart. */
void brick_report_make(struct brick_report *out, struct arena *memory, const struct graph *sums,
                       bool split);

/* One brick in two variants: how the second's mean differs, and whether beyond chance (Welch's
 * t-test over all calls, stats.h). */
struct brick_difference {
    double ratio; /* of the means, b / a; NaN */
    double p;     /* adjusted for the number of rows by the caller; 1 = nothing can be said */
};
struct brick_difference brick_compare(const struct brick_row *a, const struct brick_row *b);

/* Budgets from a TOML file:  [budget]  RmsNorm = "5us"  "gemv_avx2" = 0.000020
 * (seconds, or a text with ns, us, ms, s). Set in every node of that name. */
int brick_budgets_load(struct graph *sums, const char *path, struct error *err);

#endif
