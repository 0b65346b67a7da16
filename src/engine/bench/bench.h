/* One or two programs, run again and again in new processes. Two run in pairs of random order,
 * so that disturbances of the machine affect both alike (engine/statistics/interval.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/statistics/interval.h"

/* What is counted of a run and of all processes that it waited for. */
enum bench_counter {
    /* by the PMU, in user mode; missing where it has not enough counters for all at once: */
    COUNTER_CYCLES,
    COUNTER_INSTRUCTIONS,
    COUNTER_BRANCH_MISSES,
    COUNTER_CACHE_MISSES,
    /* by the kernel: */
    COUNTER_TASK_CLOCK, /* s of CPU time from the start of the program on */
    COUNTER_MINOR_FAULTS,
    COUNTER_MAJOR_FAULTS,
    COUNTER_SWITCHES,    /* it waited */
    COUNTER_PREEMPTIONS, /* it was made to wait */
    /* s in which the program's first thread, or rooftop after the program's end, was ready to
     * run and had no core; missing if rooftop had none before that end */
    COUNTER_QUEUED,
    BENCH_COUNTERS
};
extern const char *const bench_counter_names[BENCH_COUNTERS]; /* "branch_misses" */

/* How runs ended, as a shell gives their status. */
struct bench_ends {
    size_t runs, failed; /* failed: with another status than 0 */
    int status;          /* of all runs; of those that failed if some did not; -1: several */
};

struct bench_sample {
    double elapsed, user, system; /* s */
    double load;                  /* the machine's mean number of runnable tasks, of one minute */
    uint64_t rss;                 /* bytes, the largest of its processes; at least our own */
    uint64_t wall_ns;             /* when it began, ns since the epoch */
    int status;                   /* as a shell gives it */
    double counters[BENCH_COUNTERS]; /* NAN = not counted */
};

enum { BENCH_COMPILER = 160 };

/* The conditions of a measurement; "" = unknown. */
struct bench_conditions {
    char commit[48], branch[96]; /* of the git repository around the working folder */
    char host[72], cpu[96], kernel[96], governor[32], turbo[8], smt[8], microcode[24];
};
extern const struct fields bench_conditions_record;

struct bench_side {
    const char *name;              /* the command as text; borrowed */
    char **argv;                   /* borrowed */
    char compiler[BENCH_COMPILER]; /* of the program; "" = unknown */
    struct bench_sample *samples;
    size_t n, cap;
};

struct bench;
struct bench_plan {
    double confidence;  /* 0.99 */
    double margin;      /* what counts as no difference, as a share: 0.01 */
    double precision;   /* runs end when the interval is at most this share to each side, */
    bool to_precision;  /* also where the difference is clear before that */
    double for_s;       /* time that may be spent */
    size_t runs;        /* of each command, at most; at least 1 */
    size_t warmup;      /* runs that are not kept */
    bool duet;          /* both at once, on a CPU each */
    bool any_status;    /* a run that fails counts too */
    bool cpu_time;      /* CPU time is compared: user and system */
    const char *relink; /* the command that links before each pair (relink.h); NULL: none */
    /* Called after each pair that counts; left: time that may still be spent, s. NULL: nobody. */
    void (*watch)(void *ctx, const struct bench *b, double left);
    void *watch_ctx;
    int cpus[2];    /* of a duet */
    double busy[2]; /* their cores just before it, 0..1; NAN = unknown */
};

struct bench {
    struct bench_side side[2];
    size_t sides; /* 1 or 2; the i-th samples of both are a pair */
    struct bench_plan plan;
    struct bench_conditions conditions;
    int stopped; /* the signal that ended the measurement early; 0: none */
};

/*
 * Whether a difference is clear: its interval lies beyond the margin, and its nearest end is eight
 * times as far from "no difference" as the interval reaches to each side. A ratio of 8 is clear
 * when it is known to 30 %, one of 1.1 not before it is known to 1.2 %. Not clear with
 * to_precision.
 */
bool bench_clear(const struct bench *b);
/* Runs until the difference is clear or the interval narrow, or until the time or the number of
 * runs is reached. 0, or -errno with err. After a signal that runner_ops.stopped tells, what was
 * measured before it is there, and 0 is returned unless that is nothing. */
struct runner_ops;
int bench_measure(struct bench *b, const struct runner_ops *with, struct error *err);
/* What is measured of a run, s: elapsed or CPU time, above 0. */
double bench_time(const struct bench *b, const struct bench_sample *s);
/* The mean of a counter over the runs of a side; NAN: not counted in all of them
 * (COUNTER_QUEUED: in none). */
double bench_counted(const struct bench_side *s, enum bench_counter c);
void bench_ends_add(struct bench_ends *e, int status);
struct bench_ends bench_ends_of(const struct bench_side *s);
/* Whether two sets of runs may be compared: all of both ended with one and the same status. A run
 * that fails may have done less work. */
bool bench_ends_alike(const struct bench_ends *a, const struct bench_ends *b);
/* "all 60 runs failed (status 3)", "7 of 60 runs failed (several statuses)"; "" where none did. */
const char *bench_ends_text(const struct bench_ends *e, char out[96]);
/* Whether the two commands may be compared, by how their runs ended. */
bool bench_comparable(const struct bench *b);
/* The median of a side, s. */
struct interval bench_median(const struct bench *b, size_t side);
/* The confidence of the intervals of ratios, 0 to 1. Where elapsed and CPU time may both decide it
 * is higher than plan.confidence. */
double bench_ratio_confidence(const struct bench *b);
/* The ratio of what was measured: the second's time by the first's. */
struct interval bench_factor(const struct bench *b);

/* Which of two is faster; intervals are factors, as those of bench_factor. The verdict is by
 * elapsed time, unless the plan says CPU time. If elapsed time does not decide, CPU time does,
 * provided that elapsed time without waiting for a core has the same verdict: a program that
 * waits longer is not called faster. */
struct bench_answer {
    enum ratio_verdict verdict;
    bool by_cpu;                   /* elapsed time was measured and did not decide; CPU time did */
    struct interval measured;      /* of what bench_time is */
    struct interval cpu, unqueued; /* NAN estimate: with cpu_time, or if it is not known */
};
/* Where the runs of both ended so that they can be compared; else VERDICT_NOT_DECIDED. */
struct bench_answer bench_answer_of(const struct bench *b);
/* The ratio that the verdict is from. */
const struct interval *bench_answer_ratio(const struct bench_answer *a);
/* Whether one of a duet's cores was not idle, so that it was disturbed more than the other. */
bool bench_disturbed(const struct bench *b);
void bench_free(struct bench *b);
