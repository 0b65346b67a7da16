/*
 * Two recordings side by side: every number that both have, and whether it really differs.
 */
#ifndef ROOFTOP_ENGINE_COMPARE_H
#define ROOFTOP_ENGINE_COMPARE_H

#include "engine/recording.h"
#include "engine/stats.h"

enum compare_verdict {
    COMPARE_SAME,    /* no difference that the samples could show */
    COMPARE_LESS,    /* b is below a */
    COMPARE_MORE,    /* b is above a */
    COMPARE_TOO_FEW, /* too few independent samples to say */
    COMPARE_ONLY_A,  /* not measured in the other */
    COMPARE_ONLY_B,
};

struct compare_row {
    char *id;    /* "m:ipc", "c:core/cycles", "cpu.busy", "f:MODULE/FUNCTION"; owned */
    char *label; /* for people; owned */
    enum unit unit;
    struct stats a, b;
    struct stats_difference d; /* d.p is adjusted for all rows together */
    double change;             /* of a's mean, %; NaN where that is 0 */
    enum compare_verdict verdict;
    uint32_t tag; /* of whoever made the row */
};

struct comparison {
    struct compare_row *rows; /* differences first, the largest change first; then by id */
    size_t n;
    struct compare_side {
        size_t frames;
        double seconds;
        char *target, *hostname, *cpu_model; /* owned */
        uint64_t wall_ns;                    /* of the first frame */
    } a, b;
};

/* The share of marks that may be wrong, 0.05. */
extern const double compare_alpha;

int compare_recordings(struct comparison **out, struct recording *a, struct recording *b,
                       struct error *err);
void comparison_free(struct comparison *c);
/* For other kinds of rows, whose a and b are there: differences, p adjusted for all of them
 * together, verdicts, order. */
void compare_settle(struct comparison *c);
const char *compare_verdict_name(enum compare_verdict v); /* "same", "less", … */

#endif
