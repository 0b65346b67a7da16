/*
 * The hot loop of a function: found in its machine code, weighed by samples where there are some,
 * and modelled by llvm-mca.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "engine/functions/hot_stacks.h"
#include "engine/ports/loops.h"
#include "engine/ports/mca.h"

struct hot_loop {
    char *path;     /* under which we open the file; owned */
    char *file;     /* as its user calls it; owned */
    char *function; /* owned */
    enum code_machine machine;
    struct disassembly *code; /* owned */
    struct code_loop *loops;  /* LOOPS_MAX; owned */
    size_t nloops, chosen;
    struct mca_line *lines; /* instructions of the chosen loop that have a text; owned */
    size_t *row_of;         /* the row of each line; owned */
    size_t nlines;
    unsigned formless;                 /* rows of the loop without the form of an instruction */
    uint64_t samples, samples_outside; /* in the function; in all that was sampled besides */
    bool sampled;                      /* samples were asked for */
    const char *no_samples; /* why there are none, or not as asked; of the sampler, NULL: no reason
                               is known */
    bool modelled;
    struct mca_model model;
    struct error no_model; /* why not */
};

/*
 * Finds the loops of a function; NULL: the hottest of a file with at most 64 functions. ERROR_INPUT
 * where there is no such file, function or loop, ERROR_UNSUPPORTED where the code is for another
 * machine than x86-64 and arm64, or no disassembler is installed. Call hot_loop_free in any case.
 */
int hot_loop_find(struct hot_loop *h, const char *path, const char *function, struct error *err);
/* The same for a function of a process: its program's, or the first library's that has it. */
int hot_loop_of_process(struct hot_loop *h, pid_t pid, const char *function, struct error *err);
/* Weighs the loops by samples and chooses again. stacks may be NULL; they must outlive h. */
void hot_loop_weigh(struct hot_loop *h, const struct hot_stacks *stacks);
/*
 * Models the chosen loop; number: another one, counted from 1; 0: the hot one. cpu: as for mca_run.
 * That there is no model is no error: no_model says why. -EINVAL with err where there is no such
 * loop.
 */
int hot_loop_model(struct hot_loop *h, long number, const char *cpu, struct error *err);
void hot_loop_free(struct hot_loop *h);
