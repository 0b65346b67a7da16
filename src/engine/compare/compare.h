/*
 * Compares runs of a program before and after a change: each number that both sides have, and
 * whether it really differs.
 *
 * Only runs are independent. Launches and samples of one run share its clock, its memory layout and
 * its neighbours: they give its mean well, but not how another run would differ (T. Kalibera,
 * R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013; T. Mytkowicz et al., "Producing
 * wrong data without doing anything obviously wrong!", ASPLOS 2009). So
 *   several runs on both sides   Welch's t-test with one value for each run: it needs no equal
 *                                spread and works with two runs on a side. Rank tests (3 and 3 runs
 *                                cannot come below p = 0.1) and the bootstrap do not;
 *   one against several          Student's t for a new observation;
 *   one against one              the spread between runs is unknown. It is assumed by the kind of
 *                                number (compare_spread.c), in addition to the spread of calls. For
 *                                spans of CPUs nothing can be assumed: too few;
 *   samples of a machine         Welch's t over effective samples (stats.h): it is valid only for
 *                                these two recordings.
 * Except in the last case, the load by other processes is added to the standard error, unless the
 * runs of both sides took turns: then their spread contains it. The effect on CPU time of a load
 * that differs between the sides is always added. p is adjusted within each group of numbers for a
 * false discovery rate (stats_adjust).
 */
#pragma once

#include "engine/compare/run.h"

enum compare_verdict {
    COMPARE_SAME,    /* no difference could be shown */
    COMPARE_LESS,    /* b is below a */
    COMPARE_MORE,    /* b is above a */
    COMPARE_TOO_FEW, /* too few runs, calls or samples to say */
    COMPARE_UNLIKE,  /* totals of different work, or kernels without a common launch shape */
    COMPARE_ONLY_A,  /* not measured in B */
    COMPARE_ONLY_B,
};

/* What the interval is based on. */
enum compare_basis { COMPARE_BY_RUNS, COMPARE_BY_ONE, COMPARE_BY_ASSUMED, COMPARE_BY_SAMPLES };

struct compare_row {
    char *id, *label; /* as in struct run_number; owned */
    enum run_group group;
    enum unit unit;
    struct stats a, b; /* over the runs of a side; for a single run: over its calls or samples */
    size_t runs[2];    /* number of runs that have the number */
    double calls[2], total[2]; /* means over the runs, for bricks and kernels: number of calls, and
                                  their total time in s (NAN if unknown) */
    double error[2]; /* squared standard error of a single run's mean, from its calls or units */
    size_t shapes;   /* number of launch shapes within which a kernel was compared; 0: one */
    bool host;       /* a time of spans on CPUs: a side with one run has too few */
    bool unlike;     /* see COMPARE_UNLIKE */
    enum compare_basis basis;
    /* assumed standard deviation of one run, in the unit; only COMPARE_BY_ASSUMED */
    double assumed;
    struct stats_difference d; /* d.p is adjusted for all rows of the group */
    /* between the calls of one run each, for times of CPUs, where d has no interval: it tells of
       these two runs only and decides nothing; low > high: unknown */
    struct stats_difference within;
    double change; /* difference in % of a's mean; NaN if that is 0 */
    enum compare_verdict verdict;
};

enum compare_answer {
    ANSWER_NONE, /* no number of group RUN_TIME could be compared */
    ANSWER_SAME,
    ANSWER_FASTER,
    ANSWER_SLOWER,
};

/* Whether the runs did the same work. */
struct compare_work {
    const char *by;   /* "tokens" or "calls"; NULL: unknown */
    double ratio;     /* B's by A's; NAN = unknown */
    bool differs;     /* some run did more or less than the mean of A */
    bool stopped[2];  /* a signal or --for ended a run */
    bool ends_differ; /* the runs ended with different exit statuses */
};

struct comparison {
    /* sorted by group; differences first, those with the largest effect first */
    struct compare_row *rows;
    size_t n;
    struct compare_side {
        size_t runs;
        char *command, *hostname; /* owned; "" = unknown */
        uint64_t wall_ns;         /* time of the first run; 0 = unknown */
        double others; /* largest share of the machine that others used in a run, 0..1; NAN =
                          unknown */
        double load;   /* mean of that share over the runs; NAN = unknown */
    } side[2];
    bool turns; /* the runs of A and B took turns, so the spread between runs contains the effect of
                   others */
    struct compare_work work;
    enum compare_answer answer;
    struct briefs *briefs; /* short names of kernels, for compare_label */
    /* the row that decided, or came closest to deciding; NULL for ANSWER_NONE */
    const struct compare_row *by;
};

struct analysis;
struct recording;
/* A comparison on the screen, with the files of both sides, as far as they are still open. */
struct shown_comparison {
    const struct comparison *c;
    const char *names[2];               /* the names of the sides as the user gave them */
    const struct analysis *profiles[2]; /* NULL: this side has no profile */
    struct recording *sessions[2];      /* NULL as well: this side has only numbers */
};

/* Accepted share of false differences among those that are marked, 0.05. */
extern const double compare_alpha;

struct comparison *compare_runs(const struct runs *a, const struct runs *b);
void comparison_free(struct comparison *c);
/* The label of a row in at most `cells` cells. A kernel's name is shortened so that it still
 * differs from the others; other labels are whole. size >= 8. Returns out. */
const char *compare_label(const struct comparison *c, const struct compare_row *r, int cells,
                          bool ascii, char *out, size_t size);
const struct compare_row *compare_find(const struct comparison *c, const char *id);
/* Whether b is slower by at least percent. */
bool compare_slower(const struct comparison *c, double percent);
const char *compare_verdict_name(enum compare_verdict v); /* "same", "less", … */
const char *compare_answer_name(enum compare_answer a);   /* "same", "faster", "slower", "none" */
const char *compare_basis_name(enum compare_basis b);     /* "runs", "one run", … */
/* Half the interval, in % of a's mean; NAN if there is no interval. */
double compare_margin(const struct compare_row *r);

/* In compare_turns.c. Whether the runs of both sides alternated: in order of time, the side changes
 * at least as often as the smaller side has runs, which must be two or more. false if the time of a
 * run is unknown. */
bool compare_turns(const struct runs *a, const struct runs *b);

/* In compare_text.c. One line for people: the verdict and its basis. */
void compare_answer_text(const struct comparison *k, char *out, size_t size);
/* Says how much more of the machine others used on one side than on the other, in at most `cells`
 * cells. false, and "", if there is no difference. */
bool compare_uneven_text(const struct comparison *k, int cells, char *out, size_t size);
/* In compare_work.c. Whether totals cannot be compared, because the work differs or may differ. */
bool compare_work_unlike(const struct compare_work *w);
/* One line about different work; false, and "", if the work is the same or unknown. */
bool compare_work_text(const struct comparison *k, char *out, size_t size);
/* Whether only the calls of one run each give an interval, which says nothing of other runs. */
bool compare_within_runs(const struct compare_row *r);
/* The interval of the difference, in percent of a's mean, with "~" if the spread is assumed and "*"
 * if it is that of the calls of one run each; else why there is none, "" if none is expected. */
void compare_interval_text(const struct compare_row *r, char *out, size_t size);

/* In compare_spread.c; standard deviations of a value v, in its unit: between runs of the same
 * program; what the load of others (struct run) adds equally to all runs of a side, so that more
 * runs do not reduce it; and what different loads on A and B add. */
double compare_spread(const char *id, double others, double v);
double compare_load(const char *id, double others, double v);
double compare_uneven(const char *id, const double loads[2], double v);
