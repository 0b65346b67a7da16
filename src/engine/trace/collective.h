/*
 * Collectives: operations in which several processors together move data between them. They run as
 * kernels, but rules made for kernels do not fit them: a collective lasts until its slowest peer
 * has come, and it uses few compute units on purpose. They are known by facts of the trace (the
 * collective's metadata that PyTorch adds to a kernel, the range or operator in which it was
 * launched), by their names (collectives.def), and by names that the user gave.
 */
#pragma once

#include <stdint.h>

#include "engine/trace/trace.h"

enum collective_op {
    COLLECTIVE_NONE,
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_SEND_RECV, /* between two processors */
    COLLECTIVE_BARRIER,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_REDUCE,
    COLLECTIVE_SOME, /* of a communication library, but the name does not tell which operation */
    COLLECTIVE_OPS
};

/* The operation that the name of a kernel, call or range stands for; COLLECTIVE_NONE if none. */
enum collective_op collective_of(const char *name);
/* The operation of a name in metadata: "_allgather_base". COLLECTIVE_SOME if the name is unknown,
 * COLLECTIVE_NONE if said is "". */
enum collective_op collective_op_named(const char *said);
/*
 * Sets the user's own names, separated by commas. A kernel is communication if its name contains
 * one of them in any case; with "-" before the name it is not. The first match counts, before
 * collectives.def. NULL: there are none. Call it before traces are opened.
 */
void collective_set_own(const char *names);
const char *collective_name(enum collective_op op); /* "all-reduce" */

/* Whether no rank can leave it before all have come. Not broadcasts, gathers and sends, whose
 * sender need not wait. */
bool collective_waits_for_all(enum collective_op op);

/* Marks communication with NODE_COLLECTIVE, beside the reader's marks: kernels and copies on
 * devices; ranges and calls of Gloo, which works on the host. A call that only starts a kernel is
 * not marked. */
void collective_mark(struct trace *t);

/*
 * The factor from a message's bytes to the bytes that each link must carry. It makes different
 * operations and numbers of ranks comparable: nccl-tests, doc/PERFORMANCE.md. NaN if ranks is
 * unknown.
 */
double collective_bus_factor(enum collective_op op, uint32_t ranks);
