/*
 * The log of a run, rooftop.optimize/1: one JSON object a line, appended with one write and synced,
 * so that it can be read whenever the process ended. It is read to go on with a run and to show it.
 * docs/OPTIMIZE.md describes its fields.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/optimize/proposer.h"
#include "engine/statistics/interval.h"

enum optimize_outcome {
#define OUTCOME(id, name) OPTIMIZE_##id,
#include "engine/optimize/optimize_outcomes.def"
#undef OUTCOME
    OPTIMIZE_OUTCOMES
};
const char *optimize_outcome_name(enum optimize_outcome o);

enum optimize_stop {
    OPTIMIZE_RUNS, /* the run has not ended, or was killed */
#define STOP(id, name, text) OPTIMIZE_STOP_##id,
#include "engine/optimize/optimize_stops.def"
#undef STOP
    OPTIMIZE_STOPS
};
const char *optimize_stop_name(enum optimize_stop e); /* "time"; "" of OPTIMIZE_RUNS */
const char *optimize_stop_text(enum optimize_stop e); /* a clause */

#define OPTIMIZE_SCHEMA "rooftop.optimize/1" /* of each line of a log */

/* What the run is about: a run goes on only where all of it is the same. */
struct optimize_begin {
    char source[512], build[512], function[JUDGE_NAME];
    char target[PROPOSAL_WORD];        /* optimize_target.name */
    uint64_t source_hash, target_hash; /* of the source's bytes; optimize_target.hash */
    double min_gain;
};

enum optimize_step {
    OPTIMIZE_BASELINE,     /* the source against itself; number 0 */
    OPTIMIZE_CANDIDATE,    /* against the best so far */
    OPTIMIZE_CONFIRMATION, /* of a candidate, built anew, against the source */
    OPTIMIZE_STEPS
};
const char *optimize_step_name(enum optimize_step s);
/* A line of the log of a candidate: its members from "number" on. */
extern const struct fields optimize_candidate_record;
/* These names, then NULL. What factors are of: "time", "modelled". */
extern const char *const optimize_steps[], *const optimize_metrics[];

struct optimize_record {
    enum optimize_step step;
    uint32_t number, base; /* base: what it is derived from; 0: the source */
    uint32_t against;      /* what it was judged against: the best so far; 0: the source */
    enum optimize_outcome outcome;
    char proposer[PROPOSAL_WORD], guard[PROPOSAL_WORD];
    char evidence[PROPOSAL_EVIDENCE], note[PROPOSAL_NOTE];
    uint64_t hash, object; /* of its text, of its code; 0: there is none */
    /* Its time by that of what it was judged against: factors; NaN: not measured. */
    struct interval warm, cold, confirmed;
    double baseline_ns, candidate_ns; /* medians of a call */
    uint64_t pairs;
    bool modelled; /* the factors are those of a model, not of time */
};
/* The interval that the verdict stands on: the confirmed one where there is one, else the warm. */
const struct interval *optimize_record_factor(const struct optimize_record *r);

struct optimize_log {
    struct optimize_begin begin;
    bool begun;
    struct optimize_record *list;
    size_t n, cap;
    enum optimize_stop stop;    /* what the last line says */
    uint32_t winner;            /* of the end; 0: there is none */
    double factor;              /* of the winner: the source's time by its time; NaN */
    size_t whole, partial;      /* bytes of whole lines; of a last line that was not finished */
    char began[40], latest[40]; /* the times of the first line and of the last; "" */
};

/* Reads a text. A last line without its end is left out. 0, or -EINVAL with err. Call
 * optimize_log_free in either case. */
int optimize_log_parse(struct optimize_log *out, const char *text, size_t n, const char *path,
                       struct error *err);
/* Adds one line, without its end; whole and partial stay. number: of the line, for err. */
int optimize_log_line(struct optimize_log *l, const char *text, size_t n, const char *path,
                      size_t number, struct error *err);
/* The same from a file of at most 64 MiB. */
int optimize_log_read(struct optimize_log *out, const char *path, struct error *err);
void optimize_log_free(struct optimize_log *l);

/* The same objects, written. fd is opened with O_APPEND. 0, or -errno with ERROR_OUTPUT. */
int optimize_log_begin(int fd, const struct optimize_begin *b, struct error *err);
int optimize_log_record(int fd, const struct optimize_record *r, struct error *err);
int optimize_log_end(int fd, enum optimize_stop stop, uint32_t winner, double factor,
                     struct error *err);
