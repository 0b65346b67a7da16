/*
 * Repeated ranges (training steps, iterations, frames), one by one: how long each took, the part of
 * the profile's critical path in it, and which ones differ from the others.
 */
#pragma once

#include "engine/kernels/device_use.h"
#include "engine/path/path_shares.h"
#include "engine/trace/window.h"
#include "engine/value/stats.h"

enum step_kind { STEP_USUAL, STEP_SLOW, STEP_FAST };

struct profile_step {
    const char *name;      /* the range's name; belongs to the trace */
    char rank[64];         /* name of its program or file */
    uint32_t node;         /* of trace.calls */
    uint32_t number;       /* number of the step in its program, from 1: NAME@number */
    uint64_t begin;        /* ns since the begin of the profile */
    uint64_t length;       /* ns of the range */
    uint64_t done;         /* ns from its begin to the end of the last work launched in it */
    uint64_t path;         /* ns: the part of the profile's critical path in its time */
    struct path_mix mix;   /* what the path consists of */
    struct device_use use; /* what its devices did, all together; wall 0: it used none */
    enum step_kind kind;
};

struct steps {
    char *range;               /* the range's name, as asked for or guessed: "ProfilerStep" */
    struct profile_step *rows; /* sorted by program, then by begin */
    uint32_t n, nranks;
    struct stats length, done; /* ns; over all rows */
    uint32_t slow, fast;
    uint32_t early; /* device work that is in no step: launched before the profile began */
};

/*
 * A step is an outlier among the steps of its program if its `done` differs from their median by
 * more than STEPS_APART times their median absolute deviation (scaled to a standard deviation),
 * and by at least 5 %: B. Iglewicz and D. Hoaglin, "How to Detect and Handle Outliers" (1993).
 * With fewer than STEPS_LEAST steps there are no outliers.
 */
#define STEPS_APART 3.5
enum { STEPS_LEAST = 5 };

/* Finds and measures the steps. w: as from window_parse, with its limits in time; without a range
 * in it, steps_guess chooses one. 0 or -errno: ERROR_USAGE, -ECANCELED. The trace must outlive
 * *out. Free *out in either case. */
int steps_find(struct steps *out, const struct trace *t, const struct window *w, struct error *err);
void steps_free(struct steps *s);
/*
 * Guesses which range is the step. The lengths of half of the ranges or more, and of more than one
 * in a program, must be within STEPS_ALIKE of their median (numbered names need not be alike), and
 * together they must take at least STEPS_COVER of the profile's time. Of several candidates the
 * one that takes the most time is returned. Collectives do not count. Returns a name that the
 * caller frees, or NULL.
 */
#define STEPS_COVER 0.1
#define STEPS_ALIKE 3.0
char *steps_guess(const struct trace *t);
const char *step_kind_name(enum step_kind k); /* "", "slow", "fast" */
