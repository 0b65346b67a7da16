/*
 * Runs a captured dispatch again, alone, at its original addresses and with its original memory.
 * Use it only in a process of its own: the runtime may crash or hang, and the addresses must be
 * free. Progress, result and errors are lines on a stream (docs/CAPTURE.md).
 */
#pragma once

#include <stdio.h>

#include <stdbool.h>

#include "engine/replay/replay_rule.h"

struct replay_task {
    const char *capture; /* its folder */
    long iterations, warmup;
    bool recopy; /* restore the memory before each iteration */
    bool verify;
    struct replay_rule rule;
    double timeout_s; /* seconds for one dispatch */
    int agent;        /* number of the GPU */
    /* The code object to run, or those to compare. NULL: the captured one. */
    const char *const *code;
    size_t ncode;
};

/* All return the exit status of `rooftop gpu replay`. */
int replay_full_vm(const struct replay_task *q, FILE *events);
int replay_variants(const struct replay_task *q, FILE *events);
int replay_reserve_check(const struct replay_task *q, FILE *events);
