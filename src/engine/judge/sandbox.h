/*
 * A sandbox: a process of its own that has loaded a function of somebody, and calls it. The caller
 * holds the clock, the inputs and what is expected; the sandbox has only the buffers of the calls.
 * What the function may not do ends the sandbox, which says what it was.
 */
#pragma once

#include "engine/judge/sandbox_memory.h"

/* The most that one instruction of this CPU does. */
struct judge_instruction {
    const char *name;          /* "AVX-512" */
    double operations;         /* on real numbers, FMA counts 2; 0: no limit is known */
    double stored;             /* bytes; 0: no limit is known */
    const char *no_operations; /* why there is none; NULL: there is one */
    const char *no_stores;
};

/* Which calls are made, in this order, and whether their buffers are put out of the caches. */
struct sandbox_calls {
    const uint32_t *slots;
    const uint32_t *samples; /* of each: which values numbers have (judge_value_of) */
    size_t n;
    bool cold;
    bool clean; /* memory is brought back before each call, whether it was written or not */
};
/* What the calls took, the way of the word included. */
struct sandbox_cost {
    uint64_t ns;         /* CPU time, or elapsed time where that is not known */
    uint64_t elapsed_ns; /* what went by, which includes the time of others on this CPU */
    double instructions; /* in user mode; NAN: not counted, see sandbox_memory.not_counted */
    bool written;        /* calls after the first wrote to memory that is brought back */
};

enum { SANDBOX_LIMIT_MS = 10000 };
struct sandbox;
struct program_limits;
struct program_took;

/* How the judge runs code of others. */
struct sandbox_ops {
    /*
     * Starts a sandbox with the function of a shared object, and with the first slots. 0; 1 with
     * *refused where the object does what it may not, or lacks the function; -errno with err where
     * no sandbox can be made here.
     */
    int (*start)(struct sandbox **out, struct sandbox_memory *m, size_t slots, const char *object,
                 struct judge_refusal *refused, struct error *err);
    /*
     * Stops the process until the next calls. Code of others can run from the object's loading on,
     * and never return from it: what is written to the slots of a sandbox that is held, it sees
     * only when the clock runs. 0, 1 with *refused, or -errno with err.
     */
    int (*hold)(struct sandbox *c, struct judge_refusal *refused, struct error *err);
    /*
     * Holds the process where it is not held, lets it go, and waits for the calls; *took: from then
     * until all are said to be done. Returns 0, 1 with *refused, or -errno with err. A call that
     * takes longer than SANDBOX_LIMIT_MS is refused.
     */
    int (*call)(struct sandbox *c, const struct sandbox_calls *calls, struct sandbox_cost *took,
                struct judge_refusal *refused, struct error *err);
    void (*end)(struct sandbox *c); /* NULL allowed; ends the process */
    /* The process itself, `rooftop optimize judge --sandbox OBJECT`. Returns its exit status. */
    int (*child)(const char *object);

    /*
     * Runs a command of the shell, which may do what the user may, with no input and an environment
     * of random size. Returns 0 where it ended with status 0; 1 with *refused; -errno with err
     * where nothing can be started, or the thread's watch gave it up.
     */
    int (*run_program)(const char *command, const struct program_limits *limits,
                       struct program_took *took, struct judge_refusal *refused, struct error *err);
    void (*instruction)(struct judge_instruction *out);
};
extern const struct sandbox_ops sandboxes;
