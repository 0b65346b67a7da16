/* The guards that read sources, for `rooftop optimize judge`. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cli/judge/judge_files.h"
#include "engine/judge/judge.h"

struct judge_looked {
    const char *function; /* whose body may change: without namespaces and parameters */
    const char *build;    /* the command of both sides, for its -D, -I and -std; NULL: none */
    bool amd;             /* they are for an AMD GPU: .cu is HIP */
    struct judge_refusal refusal;
    char why[JUDGE_EVIDENCE]; /* why sources were not compared; "": they were */
};

/*
 * Compares the sources of --baseline and --candidate, where both are sources in C, C++, HIP or
 * CUDA. Returns 0; 1 with l->refusal; or -errno with err.
 */
int judge_look(const struct judge_options *own, struct judge_looked *l, struct error *err);
