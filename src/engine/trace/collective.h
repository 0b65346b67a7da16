/*
 * Collectives: what several processors do together to move data between them. They run as kernels,
 * but rules made for kernels say nothing of them: one takes as long as the slowest of its peers
 * comes late, and holds few compute units on purpose.
 *   Names: the kernels of NCCL and RCCL ("ncclDevKernel_AllReduce_…", "ncclKernel_…"), MSCCL,
 * MSCCL++, oneCCL, Gloo; the ranges that PyTorch's process groups name ("nccl:all_reduce").
 */
#ifndef ROOFTOP_ENGINE_TRACE_COLLECTIVE_H
#define ROOFTOP_ENGINE_TRACE_COLLECTIVE_H

#include <stdint.h>

#include "engine/trace/trace.h"

enum collective_op {
    COLLECTIVE_NONE,
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_SEND_RECV, /* between two */
    COLLECTIVE_BARRIER,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_REDUCE,
    COLLECTIVE_SOME, /* of such a library, it does not say which */
    COLLECTIVE_OPS
};

/* What a kernel, call or range of this name is; COLLECTIVE_NONE: of no such library. */
enum collective_op collective_of(const char *name);
const char *collective_name(enum collective_op op); /* "all-reduce" */

/* Marks those of the calls that are communication (NODE_COLLECTIVE): kernels and copies of a device
 * by their names; of the host, ranges and calls of Gloo, whose work is done there. What only starts
 * a kernel is not. */
void collective_mark(struct trace *t);

/*
 * What a link must have carried, of the bytes of the message, so that operations and numbers of
 * ranks compare: nccl-tests, doc/PERFORMANCE.md. NaN where the number of ranks is not known.
 */
double collective_bus_factor(enum collective_op op, uint32_t ranks);

#endif
