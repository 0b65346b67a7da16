/*
 * The lab's report: each workload of the vTPU, interpreted and compiled, as measured on this CPU
 * and as predicted.
 *
 * Five numbers stand side by side and are never divided by each other, but for the deviation of the
 * third from the second: slot fill (ops a word, of the stream), the model's prediction (vTPU ops a
 * cycle), vTPU ops a hardware cycle, the CPU's own instructions a cycle, and its macro-ops a cycle.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/value/value.h"
#include "vtpu/model.h"
#include "vtpu/stream.h"

enum lab_path { LAB_INTERPRETER, LAB_COMPILED, LAB_PATHS };
const char *lab_path_name(enum lab_path path);

/* What the child measured, for one pass over the stream; NaN: not measured. Times in seconds. */
enum lab_number {
    LAB_TIME,   /* the fast tenth of the slices without counters */
    LAB_MEDIAN, /* their median */
    LAB_CLOCK,  /* the core clock in the same 0.1 s, in Hz: the fast tenth of slices of dependent
                   additions */
    LAB_CYCLES, /* counted, as the next ones */
    LAB_INSTRUCTIONS,
    LAB_MACRO_OPS,
    LAB_BRANCHES,
    LAB_MISPREDICTS,
    LAB_L1_ACCESSES,
    LAB_L1_MISSES,
    LAB_COST, /* time with counters / time without - 1: the median of pairs, and its 95 % interval
               */
    LAB_COST_LOW,
    LAB_COST_HIGH,
    LAB_NUMBERS
};

enum { LAB_WORDS = 1000, LAB_ROWS_MAX = 32, LAB_CANDIDATES = 4, LAB_WHY = 256 };

/* Top-down, level 1: what the issue slots of the core were spent on. */
enum lab_topdown_part { LAB_RETIRING, LAB_FRONTEND, LAB_BAD, LAB_BACKEND, LAB_TOPDOWN_PARTS };
const char *lab_topdown_name(enum lab_topdown_part part); /* "retiring", "frontend", ... */

struct lab_row {
    const struct vtpu_workload *load;
    enum lab_path path;
    double number[LAB_NUMBERS], slots[LAB_TOPDOWN_PARTS];
    struct vtpu_prediction predicted;
    struct value fill, model; /* modelled: ops a word, ops a cycle */
    struct value ops_per_cycle, ipc, macro_ops;
    struct value deviation;          /* percent, of ops_per_cycle from the model */
    struct value l1_hit, mispredict; /* percent */
    struct value cycles_per_word;
    /* hardware cycles for each element that the stream loads or stores (SGATHER, SSCATTR), which
     * L1 holds but for the streams of far coordinates */
    struct value cycles_per_element;
    struct value topdown[LAB_TOPDOWN_PARTS]; /* percent of the slots */
    struct value cost, cost_low, cost_high;  /* percent */
    bool calibrated; /* cycles are time times the calibrated clock, not counted */
};

enum lab_verdict { LAB_NA, LAB_PASS, LAB_WARN, LAB_FAIL };
const char *lab_verdict_name(enum lab_verdict v); /* "n/a", "PASS", ... */

enum lab_gate { LAB_GATE_OPS, LAB_GATE_L1, LAB_GATE_MISPREDICT, LAB_GATE_DEVIATION, LAB_GATES };
enum { LAB_TARGET = 128 };
struct lab_gate_result {
    const char *name;        /* "balanced ops/cycle" */
    char target[LAB_TARGET]; /* "at least 2.5 (...)" */
    struct value value;
    enum lab_verdict verdict;
};

/* llvm-mca's prediction for the loop of the compiled balanced stream. Empty until it was
 * requested. */
struct lab_limit {
    char why[LAB_WHY]; /* why there is no prediction */
    char tool[64], core[64], bound[LAB_WHY];
    double words, cycles; /* of one pass of the loop */
};

struct lab_report {
    struct lab_row rows[LAB_ROWS_MAX];
    size_t n;
    char target[64]; /* what was compiled for; "" where nothing can be */
    struct lab_candidate {
        char name[64];
        double ops_per_cycle;     /* of the balanced stream, in a short run before */
    } candidates[LAB_CANDIDATES]; /* what could have been compiled for */
    size_t ncandidates;
    char no_counters[LAB_WHY]; /* why nothing was counted; "" where it was */
    char no_macro_ops[LAB_WHY], no_l1[LAB_WHY], no_topdown[LAB_WHY];
    struct lab_limit limit;
    bool complete; /* the child reported that it had measured everything */
};

/* The value below which this share of a list lies, by sorting it; NaN where it is empty. */
double lab_quantile(double *list, size_t n, double share);
/*
 * The fastest of n candidates, each measured once a round: times[k * rounds + r] is the k-th's in
 * round r. What disturbs a slice makes it longer, so fast[k] becomes the time of a candidate's fast
 * tenth, and these are compared. Sorts the times of each candidate.
 */
size_t lab_fastest(double *times, size_t n, size_t rounds, double *fast);

/* Where the goal for the balanced stream was reached; see docs/VALIDATION.md. */
struct lab_reached {
    const char *machine, *date; /* "Zen 4", "2026-11-23" */
    double ops_per_cycle;
};
extern const struct lab_reached lab_reached[]; /* ends with machine NULL */

void lab_report_open(struct lab_report *r);
/* Takes one line of the child's output. False: lab_measure does not write such a line, and
 * nothing changed. */
bool lab_report_line(struct lab_report *r, const char *line);
/* A copy; values that are missing say why by texts of their own report. */
void lab_report_copy(struct lab_report *to, const struct lab_report *from);
/* NULL where it was not measured. */
const struct lab_row *lab_report_find(const struct lab_report *r, const char *load,
                                      enum lab_path path);
/* The gates, judged by the balanced stream: compiled where it can be, else interpreted. */
void lab_gates(const struct lab_report *r, struct lab_gate_result out[LAB_GATES]);
/* Whether streams can be compiled for this target here: 0 (also for NULL), or -errno with err. */
int lab_check_templates(const char *name, struct error *err);
/* Whether a gate fails. */
bool lab_fails(const struct lab_report *r);
