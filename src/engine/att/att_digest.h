/* A thread trace with what drawing it needs, computed once. */
#pragma once

#include "engine/att/att_analysis.h"

struct att_digest {
    uint64_t id; /* unique, so that cached data of one trace is not used for another */
    struct att trace;
    struct att_totals totals;
    struct att_ipc ipc;
    uint32_t *hot; /* rows that were executed, the hottest first */
    uint32_t nhot;
    struct att_occupancy *occupancy;
    uint32_t nengines;
    int64_t from, to; /* the span of time; equal if the trace has no times */
};

struct att_set {
    struct att_digest *list;
    uint32_t n;
    uint32_t left_out; /* dispatches that were found but not opened */
};

/* Moves *trace into *out; *trace is empty afterwards. */
void att_digest_make(struct att_digest *out, struct att *trace);
/* Opens at most `most` dispatches below a folder. 0 or -errno with err; free *out in either case.
 */
int att_set_open(struct att_set *out, const char *path, uint32_t most, struct error *err);
void att_set_free(struct att_set *s);

/* Counts how often the waves that were read issued the instruction of a line in each of n equal
 * parts of from..to. Returns the sum; if it is not 0, *middle becomes the middle of those times. */
uint64_t att_issues_bins(const struct att *a, uint32_t line, int64_t from, int64_t to, uint32_t n,
                         double *out, int64_t *middle);
