/* What the steps of a trial share: docs/JUDGE.md describes them. */
#pragma once

#include "backends/replay/judge/gpu_trial.h"
#include "backends/replay/session.h"
#include "engine/judge_gpu/gpu_floor.h"
#include "engine/judge_gpu/gpu_inputs.h"
#include "engine/judge_gpu/gpu_series.h"
#include "format/emulated_counts.h"

enum { TRIAL_SIDES = 2 }; /* 0: the baseline, 1: the candidate */

/* How memory is prepared for a launch. */
struct trial_setup {
    bool fresh; /* inputs get values by `seed` */
    int poison; /* 0 or 1: the pattern in outputs; -1: they are as captured */
    bool cold;  /* it begins with what the flush left in the caches */
    uint64_t seed;
    /* Bytes of an input that get other values than the rest of memory says; size 0: none. */
    struct trial_part {
        const struct gpu_input *input;
        uint64_t offset, size, seed;
    } part;
};

struct trial {
    const struct gpu_trial_task *t;
    struct replay_task q; /* for the session */
    struct replay_session s;
    const char *probe; /* a launch of the baseline that it need not bear; NULL: none */
    unsigned at;       /* the side that runs, or ran last */
    bool *changed;     /* for each region: the baseline changes it */
    bool *poisonable; /* for each region: the baseline's answer does not depend on what was there */
    struct replay_output *before, *right; /* captured memory, and what the baseline makes of it */
    uint8_t *variables;       /* the captured module variables after the baseline's launch */
    struct gpu_inputs inputs; /* those that may be varied */
    bool candidate_ran;       /* it was launched */
    bool timing;              /* the launches are pairs that are timed */
    bool reached;             /* fresh inputs give other answers */
    uint64_t progress_ns;     /* when pairs were said last; 0: those of this series were not yet */
    struct judge_refusal refused;
    /* The first one, and the one that confirms it; of each the pairs with warm and with cold
     * caches.
     */
    struct gpu_series series[2][2];
    struct trial_flush {
        void *memory;
        uint64_t size; /* 0: there is none */
    } flush;
    struct gpu_done last, work[TRIAL_SIDES]; /* of the last launch; with the captured inputs */
    struct gpu_need need;
    uint64_t changed_lines;
    struct emulated_races races[TRIAL_SIDES]; /* of the launches that are not timed */
    unsigned checks, launches;
    double worst; /* the largest difference of an output within the tolerance */
};

/*
 * All of these return 0; 1 with refused; or -1 with f. A launch that fails is a refusal of the
 * candidate, and a failure of the baseline.
 */
int trial_launch(struct trial *k, unsigned side, const struct trial_setup *setup, double *cost,
                 struct replay_failure *f);
/* Memory as it is before such a launch. */
int trial_prepare(struct trial *k, unsigned side, const struct trial_setup *setup,
                  struct replay_failure *f);
int trial_learn(struct trial *k, struct replay_failure *f); /* what the baseline does */
int trial_twins(struct trial *k, struct replay_failure *f); /* whether wrong answers are seen */
int trial_check(struct trial *k, struct replay_failure *f); /* whether the candidate is right */
int trial_time(struct trial *k, struct replay_failure *f);
/*
 * Compares memory with what was kept. swapped: memory is the baseline's, and what was kept the
 * candidate's. stale: only what stood in outputs is different from a launch that was right.
 */
int trial_compare(struct trial *k, struct replay_output *kept, bool swapped, bool stale,
                  const char *when, struct replay_failure *f);
/* Refuses, unless a person has allowed it: then 0. */
int trial_refuse(struct trial *k, const struct judge_refusal *refusal);

/* --- memory --- */

void trial_margins_set(const struct trial *k);
/* The region beside which bytes are changed; NULL: none. */
const struct capture_region *trial_margins_changed(const struct trial *k);
/* Fills a region with the pattern. */
void trial_poison(const struct trial *k, size_t region, int pattern);
uint8_t *trial_memory(const struct trial *k, size_t region);
/* Reads the captured module variables of a side, all in a row; the caller frees them. */
uint8_t *trial_variables(const struct trial *k, unsigned side);

/* Lines of memory that are not as they were captured. */
uint64_t trial_changed_lines(const struct trial *k);

/* --- work --- */

/* What all dispatches so far did on an emulated GPU; false: this one is not emulated. */
bool trial_counts(const struct trial *k, struct emulated_counts *out);
/* On an emulated GPU: the races since the last call, and whether launches from now on are looked
 * at. */
void trial_races(const struct trial *k, bool look, struct emulated_races *out);
bool trial_is_modelled(const struct trial *k); /* costs are those of a model */
/* Which lines of the inputs matter: fills k->need. After trial_learn has found the inputs. */
int trial_need(struct trial *k, struct replay_failure *f);
/* A random line of the inputs. */
struct trial_part trial_line(const struct trial *k);

/* Memory for the flush, and the flush. Without such memory launches have no cold caches. */
void trial_flush_open(struct trial *k);
int trial_flush_run(const struct trial *k, struct replay_failure *f);
void trial_flush_close(struct trial *k);
