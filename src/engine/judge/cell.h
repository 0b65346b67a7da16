/*
 * A cell: a process of its own that has loaded a function of somebody, and calls it. The caller
 * holds the clock, the inputs and what is expected; the cell has only the buffers of the calls.
 * What the function may not do ends the cell, which says what it was.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge.h"

/* Memory that a cell shares with its caller: buffers of some calls (places). It stays while cells
 * come and go. */
struct cell_memory;
/* Makes as many places as fit, at least CELL_PLACES_LEAST and at most `wanted`. 0, or -errno with
 * err. */
enum { CELL_PLACES_LEAST = 4 };
int cell_memory_open(struct cell_memory **out, const struct harness *h, size_t wanted,
                     struct error *err);
void cell_memory_close(struct cell_memory *m); /* NULL allowed */
size_t cell_places(const struct cell_memory *m);
/* CPU time of all processes that had this memory and have ended. */
uint64_t cell_cpu_ns(const struct cell_memory *m);
/* The buffer of a place and of an argument that is an array, or the result. */
void *cell_buffer(const struct cell_memory *m, size_t place, size_t argument);
/* Sets the bytes beside the buffers of a place, where they are not set; cell_margins says whether
 * they are as they were: 0, or 1 with *refused. */
void cell_set_margins(const struct cell_memory *m, size_t place);
int cell_margins(const struct cell_memory *m, size_t place, struct judge_refusal *refused);

/* The most that one instruction of this CPU does. */
struct judge_instruction {
    const char *name;          /* "AVX-512" */
    double operations;         /* on real numbers, FMA counts 2; 0: no limit is known */
    double stored;             /* bytes; 0: no limit is known */
    const char *no_operations; /* why there is none; NULL: there is one */
    const char *no_stores;
};
void cell_instruction(struct judge_instruction *out);

struct cell;
/*
 * Starts a cell with the function of a shared object, and with the first places. 0; 1 with *refused
 * where the object does what it may not, or lacks the function; -errno with err where no cell can
 * be made here.
 */
int cell_start(struct cell **out, struct cell_memory *m, size_t places, const char *object,
               struct judge_refusal *refused, struct error *err);
void cell_free(struct cell *c); /* NULL allowed; ends the process */

/*
 * Stops the process until cell_call. Code of others can run from the object's loading on, and
 * never return from it: what is written to the places of a cell that is held, it sees only when
 * the clock runs. 0, 1 with *refused, or -errno with err.
 */
int cell_hold(struct cell *c, struct judge_refusal *refused, struct error *err);

/* Which calls are made, in this order, and whether their buffers are put out of the caches. */
struct cell_calls {
    const uint32_t *places;
    const uint32_t *draws; /* of each: which values numbers have (judge_value_of) */
    size_t n;
    bool cold;
    bool clean; /* memory is brought back before each call, whether it was written or not */
};
/* What the calls took, the way of the word included. */
struct cell_took {
    uint64_t ns;         /* CPU time, or elapsed time where that is not known */
    uint64_t elapsed_ns; /* what went by, which includes the time of others on this CPU */
    double instructions; /* in user mode; NAN: not counted, see cell_not_counted */
    bool written;        /* calls after the first wrote to memory that is brought back */
};
/*
 * Holds the process where it is not held, lets it go, and waits for the calls; *took: from then
 * until all are said to be done. Returns 0, 1 with *refused, or -errno with err. A call that
 * takes longer than CELL_LIMIT_MS is refused.
 */
enum { CELL_LIMIT_MS = 10000 };
int cell_call(struct cell *c, const struct cell_calls *calls, struct cell_took *took,
              struct judge_refusal *refused, struct error *err);
/* Why instructions were not counted; "": they always were. */
const char *cell_not_counted(const struct cell_memory *m);

/* What `rooftop judge --cell OBJECT` is: the process. Returns its exit status. */
int cell_run(const char *path);
