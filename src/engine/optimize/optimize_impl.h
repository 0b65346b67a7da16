/* What the steps of the loop share. */
#ifndef ROOFTOP_ENGINE_OPTIMIZE_OPTIMIZE_IMPL_H
#define ROOFTOP_ENGINE_OPTIMIZE_OPTIMIZE_IMPL_H

#include "engine/optimize/optimize.h"

struct optimizing {
    const struct optimize_plan *plan;
    struct optimize_result *result;
    int log;       /* its descriptor, locked */
    uint32_t last; /* number of the last candidate */
    uint32_t best; /* 0: the source */
    char *best_text;
    size_t n_best;
    uint64_t best_object;
    uint32_t without_gain; /* candidates since the last gain */
    uint64_t begin_ns;
    bool *exhausted; /* by proposer */
    size_t turn;     /* whose it is */
};

/* A candidate on its way. */
struct attempt {
    struct optimize_record record;
    char *text;
    size_t n;
    char folder[OPTIMIZE_PATH], source[OPTIMIZE_PATH], object[OPTIMIZE_PATH];
    struct optimize_build build;
};

/* The text of a candidate's file. 0 or -errno with err. */
int optimize_text(const struct optimizing *o, uint32_t number, char **text, size_t *n,
                  struct error *err);
/* Makes a candidate's folder with its source. */
int optimize_place(const struct optimizing *o, struct attempt *a, uint32_t number,
                   struct error *err);
/* A hash of a file; 0 with err where it cannot be read. */
uint64_t optimize_file_hash(const char *path, struct error *err);

/* Records that it ended so; fills outcome, guard and evidence. Returns 1. */
int attempt_ends(struct attempt *a, enum optimize_outcome outcome, const char *guard,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Judges an object against another and fills the record. for_s: of the pairs. 0, or -errno with
 * err; -ECANCELED: interrupted.
 */
int attempt_judge(const struct optimizing *o, const char *baseline, const char *candidate,
                  double for_s, struct optimize_record *record, struct error *err);
/* Adds the record to log and result, and tells of it. */
int optimize_add(struct optimizing *o, const struct optimize_record *r, struct error *err);

/* Opens the folder and log, builds the source twice and judges it against itself; or goes on with
 * what is there. 0; 1 where the run ends at once, with result->end; -errno with err. */
int optimize_prepare(struct optimizing *o, struct error *err);
/* Asks the proposer for one candidate and its repairs. 0 or -errno with err. */
int optimize_try(struct optimizing *o, size_t proposer, struct error *err);
/* Builds the best anew, judges it against the source, and takes an earlier one where it fails. */
int optimize_confirm(struct optimizing *o, struct error *err);

#endif
