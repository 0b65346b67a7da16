/*
 * Runs of one program, before and after: every number that both have, and whether it really
 * differs.
 *
 * What is independent is a run. Launches and samples of one run share its clock, its memory layout,
 * its neighbours: they tell its mean well, and nothing of how another run would be (T. Kalibera,
 * R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013; T. Mytkowicz et al., "Producing
 * wrong data without doing anything obviously wrong!", ASPLOS 2009). So
 *   several runs on both sides   Welch's t-test over the runs, each one value: it needs no equal
 *                                spread, and works from two runs a side, where rank tests (3 and 3
 *                                runs cannot come below p = 0.1) and the bootstrap cannot;
 *   one against several          Student's t for a new observation;
 *   one and one                  the spread from run to run cannot be known. It is assumed, by the
 *                                kind of number (compare_spread.c), beside what the calls tell;
 *   samples of a machine         Welch's t over effective samples (stats.h): it tells of these two
 *                                recordings only.
 * In all but the last, what others did to the machine meanwhile is added to the standard error,
 * unless the runs took turns: then it is in their spread. What it does to CPU time that others did
 * more on one side is added always.
 * p is adjusted within each group of numbers for a false discovery rate (stats_adjust).
 */
#ifndef ROOFTOP_ENGINE_COMPARE_COMPARE_H
#define ROOFTOP_ENGINE_COMPARE_COMPARE_H

#include "engine/compare/run.h"

enum compare_verdict {
    COMPARE_SAME,    /* no difference that could be shown */
    COMPARE_LESS,    /* b is below a */
    COMPARE_MORE,    /* b is above a */
    COMPARE_TOO_FEW, /* too few calls or samples to say */
    COMPARE_ONLY_A,  /* not measured in the other */
    COMPARE_ONLY_B,
};

/* What the interval stands on. */
enum compare_basis { COMPARE_BY_RUNS, COMPARE_BY_ONE, COMPARE_BY_ASSUMED, COMPARE_BY_SAMPLES };

struct compare_row {
    char *id, *label; /* as in run.h; owned */
    enum run_group group;
    enum unit unit;
    struct stats a, b;         /* over the runs of a side; of a single run: within it */
    size_t runs[2];            /* that have it */
    double calls[2], total[2]; /* a run, of bricks and kernels; total in s, else NAN */
    enum compare_basis basis;
    double assumed;            /* sd of one run, in the unit; BY_ASSUMED only */
    struct stats_difference d; /* d.p is adjusted for all rows of the group */
    double change;             /* of a's mean, %; NaN where that is 0 */
    enum compare_verdict verdict;
};

enum compare_answer {
    ANSWER_NONE, /* nothing of them is a time of a whole run */
    ANSWER_SAME,
    ANSWER_FASTER,
    ANSWER_SLOWER,
};

struct comparison {
    struct compare_row *rows; /* by group; differences first, the largest effect first */
    size_t n;
    struct compare_side {
        size_t runs;
        char *command, *hostname; /* owned; "" unknown */
        uint64_t wall_ns;         /* of the first run; 0 unknown */
        double others;            /* the most that others used of the machine, 0..1; NAN */
        double load;              /* the mean of it over the runs; NAN */
    } side[2];
    bool turns; /* the runs of A and B took turns: what others did shows in their spread */
    enum compare_answer answer;
    struct briefs *briefs;        /* of kernels, for compare_label */
    const struct compare_row *by; /* what decided it, or would have soonest; NULL: ANSWER_NONE */
};

/* The share of marks that may be wrong, 0.05. */
extern const double compare_alpha;

struct comparison *compare_runs(const struct runs *a, const struct runs *b);
void comparison_free(struct comparison *c);
/* The label of a row in at most so many cells: that of a kernel as short as tells it from the
 * others, any other whole. Returns out, which has at least 8 bytes. */
const char *compare_label(const struct comparison *c, const struct compare_row *r, int cells,
                          bool ascii, char *out, size_t size);
const struct compare_row *compare_find(const struct comparison *c, const char *id);
/* Whether b is slower by at least percent. */
bool compare_slower(const struct comparison *c, double percent);
const char *compare_verdict_name(enum compare_verdict v); /* "same", "less", … */
const char *compare_answer_name(enum compare_answer a);   /* "same", "faster", "slower", "none" */
const char *compare_basis_name(enum compare_basis b);     /* "runs", "one run", … */
/* Half the interval, % of a's mean; NAN where there is none. */
double compare_margin(const struct compare_row *r);

/* compare_turns.c. Whether, in the order of time, the side changes as often as one of them has
 * runs, two at least. False where the time of a run is not known. */
bool compare_turns(const struct runs *a, const struct runs *b);

/* compare_text.c. One line for people: what the verdict is, and what it stands on. */
void compare_answer_text(const struct comparison *k, char *out, size_t size);
/* Where others used more of the machine on one side than on the other: how much, in at most so many
 * cells. False, and "": they did not. */
bool compare_uneven_text(const struct comparison *k, int cells, char *out, size_t size);
/* Of the difference, in percent of a's mean, "~" where its spread is assumed; "" where it says
 * nothing. */
void compare_interval_text(const struct compare_row *r, char *out, size_t size);

/* compare_spread.c, as standard deviations in the unit of the value v. How much one run differs
 * from the next of the same program; of that what the load of others (struct run) does to all runs
 * of a side alike, so that more of them do not help; and what a difference of that load between A
 * and B does to the difference of the value. */
double compare_spread(const char *id, double others, double v);
double compare_load(const char *id, double others, double v);
double compare_uneven(const char *id, const double loads[2], double v);

#endif
