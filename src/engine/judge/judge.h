/*
 * The judge: is the candidate right, and is it faster? First its answers are checked on inputs of
 * several kinds, with guards that stop what documented cheats do; then both run in fresh processes
 * in pairs of random order, on inputs that nobody could know, and every timed answer is checked.
 * "Faster" is confirmed by a second, independent series of pairs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/judge/harness.h"
#include "engine/statistics/interval.h"

enum judge_guard {
    JUDGE_NO_GUARD,
#define GUARD(id, name, stops) GUARD_##id,
#include "engine/judge/judge_guards.def"
#undef GUARD
    JUDGE_GUARDS
};
const char *judge_guard_name(enum judge_guard g); /* "output"; "" of none */
const char *judge_guard_stops(enum judge_guard g);
/* By its name; JUDGE_NO_GUARD: there is no such guard. */
enum judge_guard judge_guard_named(const char *name);

enum { JUDGE_EVIDENCE = 320 };
struct judge_refusal {
    enum judge_guard guard;
    char evidence[JUDGE_EVIDENCE]; /* a clause: what was seen, where */
};
/* Fills it and returns 1. */
int judge_refuse(struct judge_refusal *r, enum judge_guard guard, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a call takes at least, by the host's measured roofs. */
struct judge_floor {
    double ns;     /* NAN: not known */
    char why[160]; /* "8192 bytes at 150 GB/s", or why it is not known; "": nobody asked */
};

/* What the pairs of a series say so far. */
struct judge_progress {
    struct interval factor; /* time of the candidate by that of the baseline, caches warm */
    size_t pairs;           /* those with cold caches included */
    bool confirms;          /* it is the second series */
    bool modelled;          /* the factor is that of a model, not of time */
};

/* How many instructions a call takes at least. */
struct judge_need {
    double instructions; /* NAN: not known */
    char why[160];       /* "2e+06 operations at 16 an instruction (AVX)", or why it is not known */
};

struct sandbox_ops;
struct judge_plan {
    const struct sandbox_ops *sandboxes; /* engine/judge/sandbox.h: how code of others is run */
    const struct harness *harness;
    const char *baseline, *candidate; /* shared objects */
    double for_s;                     /* of timing, the confirmation not counted */
    double margin, confidence;
    double wanted_s;          /* of one timed batch; its number of calls is made to fit */
    struct judge_floor floor; /* zeroed: none */
    struct judge_need need;   /* zeroed: none */
    bool allow[JUDGE_GUARDS]; /* guards that a person has switched off */
    bool cpu_time;            /* of programs: CPU time is compared, not elapsed time */
    bool same_at_once;        /* of the same code nothing is called, it is equivalent */
    /* Called about once a second while pairs are measured. NULL: nobody listens. */
    void (*on_progress)(void *ctx, const struct judge_progress *p);
    void *progress_ctx;
};

enum judge_verdict {
    JUDGE_NOT_DECIDED,
    JUDGE_FASTER,
    JUDGE_SLOWER,
    JUDGE_EQUIVALENT,
    JUDGE_REFUSED
};
const char *judge_verdict_name(enum judge_verdict v);

/* CPU time: of the judge's process, of the processes that made calls, and of the calls that were
 * timed, which is a part of the second. */
struct judge_cost {
    double judge_ns, sandboxes_ns, timed_ns;
};

struct judge_result {
    enum judge_verdict verdict;
    struct judge_refusal refusal; /* JUDGE_REFUSED */
    /* Time of the candidate by time of the baseline: factors. NaN: not measured. */
    struct interval warm, cold, confirmed;
    size_t pairs, confirming_pairs, calls; /* calls: timed ones, each of which was checked */
    double baseline_ns, candidate_ns;      /* medians of a call with warm caches, all included */
    double instructions[2];                /* the same, in user mode; NAN: not counted */
    char not_counted[160];                 /* why; "": they were */
    bool identical;                        /* both are the same code: nothing was called */
    double worst;    /* the largest difference of an output within tolerance */
    unsigned checks; /* calls whose answers were compared before timing */
    struct judge_cost cost;
    char left_out[JUDGE_EVIDENCE]; /* inputs that the baseline does not take, and what it did; "" */
    char sources[JUDGE_EVIDENCE];  /* why the sources were not looked at; "": they were */
};

/* Returns 0 with a verdict, or -errno with err where nothing can be judged (the baseline fails, no
 * sandbox can be made). */
int judge_run(const struct judge_plan *plan, struct judge_result *out, struct error *err);
