/*
 * Results of benchmarks, of rooftop or of another tool, as documents: what the history stores.
 * Read: rooftop.bench/1, hyperfine --export-json, Google Benchmark --benchmark_out,
 * pytest-benchmark
 * --benchmark-json, criterion's sample.json and cargo-criterion's messages.
 */
#pragma once

#include "base/arena.h"
#include "engine/bench/bench.h"

struct bench_result {
    const char *name;
    const char *unit; /* "s", "ratio", "ops/cycle" */
    const double *v;  /* samples, or NULL where the file has only the value */
    size_t n;
    double value;           /* the median, of a ratio the estimate of bench_factor; above 0 */
    double load;            /* mean over the samples; NAN = unknown */
    double user, system;    /* CPU time, s, means over the samples; NAN = unknown */
    const int *status;      /* of each sample, as a shell gives it; NULL = unknown */
    struct bench_ends ends; /* runs 0 = unknown */
    bool more_is_good;      /* else less is */
    const char *compiler;   /* "" = unknown */
    double counters[BENCH_COUNTERS]; /* means over the samples; NAN = unknown */
};

struct bench_results {
    struct arena arena; /* owns all texts and numbers */
    const char *tool;   /* "hyperfine" */
    struct bench_result *list;
    size_t n, cap;
    struct bench_conditions conditions;
    uint64_t wall_ns; /* 0 = the file does not say */
};

/* path: for errors, and the name of a criterion sample (…/NAME/new/sample.json). 0, or -errno with
 * err (ERROR_INPUT). Call bench_results_free in either case. */
int bench_results_read(struct bench_results *out, const char *path, const char *text, size_t n,
                       struct error *err);
/* The results of a measurement: one for each command, and for two their ratio. */
void bench_results_of(struct bench_results *out, const struct bench *b);
void bench_results_free(struct bench_results *r);
/* Fills a result in seconds whose value is the median of its samples, or `value` without any; what
 * else it has is unknown. Borrows name and v. */
void bench_result_fill(struct bench_result *out, const char *name, const double *v, size_t n,
                       double value);

/* --- replays.c: the table of rooftop's own replays --- */

/* Whether the file is an SQLite database. */
bool bench_is_database(const char *path);
typedef int bench_results_fn(void *ctx, const struct bench_results *r, struct error *err);
/* Calls each for every stored replay: named by kernel, capture and code, with the code object's
 * hash as commit, and the GPU as CPU. Ends where it returns non-zero. 0, or -errno with err. */
int bench_replays_read(const char *path, bench_results_fn *each, void *ctx, struct error *err);
