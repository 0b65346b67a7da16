/*
 * The loop: a proposer is asked, its answer is guarded, built and judged, and it is kept only where
 * the judge calls it faster than the best so far. What is kept at the end is built anew and judged
 * once more, against the source that the user has. The source itself is only read.
 */
#pragma once

#include "engine/optimize/optimize_log.h"
#include "engine/optimize/optimize_progress.h"
#include "engine/optimize/proposer.h"
#include "engine/optimize/target.h"

enum {
    OPTIMIZE_PATH = 512,
    OPTIMIZE_MESSAGES = 2000,
    OPTIMIZE_REPAIRS = 2,
    OPTIMIZE_POPULATION = 64,
    OPTIMIZE_PROPOSERS = 16
};

struct optimize_build {
    bool ok;
    char status[64];                      /* "exit 1" */
    char messages[OPTIMIZE_MESSAGES + 1]; /* the beginning of what the compiler said */
};

/* What the loop lets others do. */
struct optimize_hands {
    void *ctx;
    /* Builds a source, with limits of its own. */
    void (*build)(void *ctx, const char *source, const char *object, struct optimize_build *out);
    /* Called after each record, and with NULL before a long step: what. NULL: nobody listens. */
    void (*tell)(void *ctx, const struct optimize_record *record, const char *what);
    /* Called often with the present step. NULL: nobody listens. */
    void (*now)(void *ctx, const struct optimize_progress *p);
};

struct optimize_plan {
    const char *source; /* its path, as the user gave it */
    const char *build;
    const struct optimize_target *target;
    const char *folder;         /* of the run; docs/OPTIMIZE.md says what is in it */
    bool resume;                /* go on with the run in folder; else it must not exist */
    struct proposer *proposers; /* OPTIMIZE_PROPOSERS at most */
    size_t nproposers;
    uint32_t population; /* how many may be bases of candidates: the best, and others; 0 is 1 */
    uint32_t iterations; /* candidates at most, those of a resumed run included */
    uint32_t tries;      /* candidates in succession without a gain that end the run */
    double for_s;        /* for all but the confirmation at the end */
    double each_s;   /* of the pairs of one judgement; its confirmation may take as long again */
    double answer_s; /* for one answer of a proposer */
    double min_gain; /* share of the time: 0.02 */
    double confidence;
    const char *allow_words;                /* as given, for the source guards; NULL */
    const struct proposal_profile *profile; /* NULL: there is none */
    struct optimize_hands hands;
};

struct optimize_result {
    enum optimize_stop stop;
    struct optimize_log log; /* all that the log has, from before a resumption too */
    uint32_t winner;         /* the candidate that is confirmed faster; 0: there is none */
    double factor;           /* the source's time by the winner's; NaN */
    char *text, *original;   /* of the winner, of the source; NULL: there is none. Of n bytes: */
    size_t n, n_original;
    char why[PROPOSAL_EVIDENCE]; /* details of the end: what was unstable, which wrong answer
                                    passed; "" */
};

/* 0 with a result, or -errno with err. Interrupted (base/watch.h) is a result, too. Call
 * optimize_free in either case. */
int optimize_run(const struct optimize_plan *plan, struct optimize_result *out, struct error *err);
void optimize_free(struct optimize_result *r);

/* The path of a candidate's source, "FOLDER/0003/saxpy.c". */
void optimize_path(char out[OPTIMIZE_PATH], const char *folder, uint32_t number,
                   const char *source);

/*
 * Puts the text in the place of the source, only if that still has the original's bytes. What it
 * had stays beside it as NAME.orig (or NAME.orig.1 and so on), whose path is written to backup; one
 * that has these bytes already is taken. The source is replaced at once, with its permissions. 0,
 * or -errno with err; the source is then as it was.
 */
int optimize_apply(const char *source, const char *original, size_t n_original, const char *text,
                   size_t n, char backup[OPTIMIZE_PATH], struct error *err);
