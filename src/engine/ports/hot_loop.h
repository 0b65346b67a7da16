/*
 * The hot loop of a function: found in its machine code, weighed by samples if there are some, and
 * modelled by llvm-mca.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "engine/functions/hot_stacks.h"
#include "engine/ports/loops.h"
#include "engine/ports/mca.h"

struct hot_loop {
    char *path;     /* path by which the file is opened; owned */
    char *file;     /* its name for the user; owned */
    char *function; /* owned */
    enum code_machine machine;
    struct disassembly *code; /* owned */
    struct code_loop *loops;  /* LOOPS_MAX; owned */
    size_t nloops, chosen;
    struct mca_line *lines; /* instructions of the chosen loop that have a text; owned */
    size_t *row_of;         /* the row of each line; owned */
    size_t nlines;
    unsigned formless;                 /* rows of the loop that do not look like an instruction */
    uint64_t samples, samples_outside; /* samples in the function; samples elsewhere */
    bool sampled;                      /* samples were asked for */
    const char *no_samples; /* the sampler's reason for none, or for another event; NULL */
    bool modelled;
    struct mca_model model;
    struct error no_model; /* why there is no model */
};

/* Finds the loops of a function; NULL takes the hottest one of a file with at most 64 functions.
 * ERROR_INPUT if there is no such file, function or loop; ERROR_UNSUPPORTED if the code is not for
 * x86-64 or arm64, or no disassembler is installed. Call hot_loop_free in any case. */
int hot_loop_find(struct hot_loop *h, const char *path, const char *function, struct error *err);
/* The same for a function of a process, in its program or in the first library that has it. */
int hot_loop_of_process(struct hot_loop *h, pid_t pid, const char *function, struct error *err);
/* Weighs the loops by samples and chooses again. stacks may be NULL; they must outlive h. */
void hot_loop_weigh(struct hot_loop *h, const struct hot_stacks *stacks);
/* Models loop `number`, counted from 1, or the hot loop if it is 0. cpu: as for mca_run. If the
 * loop cannot be modelled, no_model says why and 0 is returned. -EINVAL with err: there is no such
 * loop. */
int hot_loop_model(struct hot_loop *h, long number, const char *cpu, struct error *err);
void hot_loop_free(struct hot_loop *h);
