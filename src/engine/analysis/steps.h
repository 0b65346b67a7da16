/*
 * Repeated ranges (training steps, iterations, frames), one by one: how long each took, its
 * critical path, and which ones differ from the others.
 */
#ifndef ROOFTOP_ENGINE_ANALYSIS_STEPS_H
#define ROOFTOP_ENGINE_ANALYSIS_STEPS_H

#include "engine/kernels/device_use.h"
#include "engine/path/path_shares.h"
#include "engine/trace/window.h"
#include "engine/value/stats.h"

enum step_kind { STEP_USUAL, STEP_SLOW, STEP_FAST };

struct profile_step {
    const char *name;      /* the trace's */
    char rank[64];         /* its program's, or file's */
    uint32_t node;         /* of the trace's calls */
    uint32_t number;       /* of its program's, from 1: NAME@number */
    uint64_t begin;        /* ns since the profile's begin */
    uint64_t length;       /* of the range */
    uint64_t done;         /* from its begin to the end of the last work launched in it */
    uint64_t path;         /* length of its critical path */
    struct path_mix mix;   /* of it */
    struct device_use use; /* of its devices together; wall 0: it has none */
    enum step_kind kind;
};

struct steps {
    char *range;               /* "ProfilerStep": what was asked for, or found */
    struct profile_step *rows; /* by program, then begin */
    uint32_t n, nranks;
    struct stats length, done; /* ns; over all rows */
    uint32_t slow, fast;
};

/*
 * A step is unlike the others of its program where its `done` is further from their median than
 * STEPS_APART times their median deviation from it (scaled to a standard deviation), and by at
 * least 5 % of it: B. Iglewicz and D. Hoaglin, "How to Detect and Handle Outliers" (1993). Fewer
 * than STEPS_LEAST are all usual.
 */
#define STEPS_APART 3.5
enum { STEPS_LEAST = 5 };

/* range: as of window_parse, with from and to; without a range what steps_guess finds. ERROR_USAGE,
 * -ECANCELED. The trace must live on; free it after either outcome. */
int steps_find(struct steps *out, const struct trace *t, const struct window *w, struct error *err);
void steps_free(struct steps *s);
/*
 * What looks like steps: half of them or more, and more than one a program, are within STEPS_ALIKE
 * of their median's length (numbered ones are alike), and take STEPS_COVER of the profile's time at
 * least; of several the one that takes the most time. Collectives are none. NULL: nothing does. The
 * caller's.
 */
#define STEPS_COVER 0.1
#define STEPS_ALIKE 3.0
char *steps_guess(const struct trace *t);
const char *step_kind_name(enum step_kind k); /* "", "slow", "fast" */

#endif
