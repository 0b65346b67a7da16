/* A thread trace with what a picture of it needs, worked out once. */
#ifndef ROOFTOP_ENGINE_ATT_ATT_DIGEST_H
#define ROOFTOP_ENGINE_ATT_ATT_DIGEST_H

#include "engine/att/att_analysis.h"

struct att_digest {
    uint64_t id; /* no other has it: what is remembered of one is not taken for another's */
    struct att trace;
    struct att_totals totals;
    struct att_ipc ipc;
    uint32_t *hot; /* rows that were executed, the hottest first */
    uint32_t nhot;
    struct att_occupancy *occupancy;
    uint32_t nengines;
    int64_t from, to; /* the span; equal where there is none */
};

struct att_set {
    struct att_digest *list;
    uint32_t n;
    uint32_t left_out; /* dispatches beyond those */
};

/* Takes the trace over, which is empty then. */
void att_digest_make(struct att_digest *out, struct att *trace);
/* The dispatches below a folder, `most` of them; free it after either outcome. */
int att_set_open(struct att_set *out, const char *path, uint32_t most, struct error *err);
void att_set_free(struct att_set *s);

/* How often the instruction of a line was issued in each of n equal parts of from..to, by the waves
 * read. The sum; the middle of those times into *middle where it is not 0. */
uint64_t att_issues_bins(const struct att *a, uint32_t line, int64_t from, int64_t to, uint32_t n,
                         double *out, int64_t *middle);

#endif
