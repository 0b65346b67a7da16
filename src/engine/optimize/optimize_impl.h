/* What the steps of the loop share. */
#pragma once

#include "engine/optimize/build_difference.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/optimize_progress.h"

/* What candidates may be made from. */
struct optimize_base {
    uint32_t number; /* 0: the source */
    char *text;
    size_t n;
    uint64_t object;
    double score;  /* its time by the source's, as far as it was seen */
    uint32_t none; /* a bit for each proposer that has no more for it */
};

struct optimizing {
    const struct optimize_plan *plan;
    struct optimize_result *result;
    int log;                                         /* its descriptor, locked */
    uint32_t last;                                   /* number of the last candidate */
    struct optimize_base bases[OPTIMIZE_POPULATION]; /* the first is the best */
    size_t nbases;
    uint32_t without_gain; /* candidates since the last gain */
    uint64_t begin_ns;
    size_t turn; /* whose it is */
};

/* A candidate on its way. */
struct attempt {
    const struct optimize_base *base; /* until it becomes one itself */
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
/* Where a candidate's build stands: "FOLDER/0003/object.so"; again: of the second time. */
void optimize_object(const struct optimizing *o, uint32_t number, bool again,
                     char out[OPTIMIZE_PATH]);
/* The target's hash of the code in a build; 0 with err where it cannot be read. */
uint64_t optimize_code_hash(const struct optimizing *o, const char *path, struct error *err);

/* After a build that failed: 0 where the folder of the run, and that of temporary files, have room
 * for a build; else -errno with err: nothing is known about the source then. */
int optimize_room(const struct optimizing *o, struct error *err);

enum { OPTIMIZE_WHY = BUILD_DIFFERENCE + 80 };
/* What two builds differ in, as build_compare says it; BUILD_SAME: they cannot be read, either.
 * same: their hashes of the code are the same, so what differs is explained. */
enum build_relation optimize_compare(const char *object, const char *other, bool same,
                                     char why[OPTIMIZE_WHY]);

/* Records that it ended so; fills outcome, guard and evidence. Returns 1. */
int attempt_ends(struct attempt *a, enum optimize_outcome outcome, const char *guard,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Judges a build against another and fills the record. for_s: of the pairs. 0, or -errno with
 * err; -ECANCELED: interrupted.
 */
int attempt_judge(const struct optimizing *o, const char *baseline, const char *candidate,
                  double for_s, struct optimize_record *record, struct error *err);
/* Tells what is done now for the record that is being made: to who shows the run, and to hands. */
void optimize_now(const struct optimizing *o, enum optimize_doing doing,
                  const struct optimize_record *record, const struct judge_progress *pairs);
/* Adds the record to log and result, and tells of it. */
int optimize_add(struct optimizing *o, const struct optimize_record *r, struct error *err);

/* Opens the folder and log, builds the source twice and judges it against itself; or goes on with
 * what is there. 0; 1 where the run ends at once, with result->end; -errno with err. */
int optimize_prepare(struct optimizing *o, struct error *err);
/*
 * Makes a candidate that was judged a base, if it may be one: the best where it is faster, and the
 * best before becomes one of the others; one of these where it is not slower and its code is not
 * that of a base. The slowest makes room. Takes the text, which may be NULL. The first is the
 * source.
 */
void optimize_base_add(struct optimizing *o, const struct optimize_record *r, char *text, size_t n);
/* Which base the proposer is asked about: every other time the best, in between the others in turn;
 * nbases: it has no more for any. By the number of candidates, so that a run that is resumed goes
 * on as it would have. */
size_t optimize_base_next(const struct optimizing *o, size_t proposer);
/* Asks the proposer for one candidate and its repairs. 0 or -errno with err. */
int optimize_try(struct optimizing *o, size_t proposer, struct error *err);
/* Builds the best anew, judges it against the source, and takes an earlier one where it fails. */
int optimize_confirm(struct optimizing *o, struct error *err);
