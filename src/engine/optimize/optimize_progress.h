/* The present step of a run: a small file in its folder, progress.json, written again about once
 * a second and replaced by one rename, so that a reader always finds a complete file. The log
 * has finished steps; this file has the unfinished one. It is removed when the run ends. */
#pragma once

#include "engine/optimize/optimize_log.h"

enum optimize_stage {
#define STAGE(id, name, text) OPTIMIZE_##id,
#include "engine/optimize/optimize_stages.def"
#undef STAGE
    OPTIMIZE_STAGES
};
const char *optimize_stage_text(enum optimize_stage d); /* "asks a proposer" */

struct optimize_progress {
    enum optimize_stage stage;
    enum optimize_step step; /* what the record will be, with number, base and proposer */
    uint32_t number, base;
    char proposer[PROPOSAL_WORD];
    struct interval factor; /* of the pairs so far; NaN: there are too few, or none */
    uint64_t pairs;
    bool modelled; /* the factor is that of a model, not of time; false where there are no pairs */
    double left_s; /* of the time for all but the confirmation; NaN: not known */
    uint32_t iterations;          /* candidates at most */
    uint32_t without_gain, tries; /* since the last gain; how many end the run */
};

/* Replaces FOLDER/progress.json. A failure is not reported: the file is for display only. */
void optimize_progress_write(const char *folder, const struct optimize_progress *p);
void optimize_progress_remove(const char *folder);

/* 0, or -EINVAL with err. */
int optimize_progress_parse(struct optimize_progress *out, const char *text, size_t n,
                            const char *path, struct error *err);
