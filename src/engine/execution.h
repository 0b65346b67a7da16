/*
 * What followed from what among the calls of a profile: readers tell spans, lanes, and which call
 * launched what; order within lanes and what the host waited for are found here.
 */
#ifndef ROOFTOP_ENGINE_EXECUTION_H
#define ROOFTOP_ENGINE_EXECUTION_H

#include "engine/graph.h"

/* Sequence edges between neighbours (below one parent, the one ended when the other began), in
 * calls[from..to). */
void execution_sequence(struct graph *calls, uint32_t from, uint32_t to);
/*
 * Joins edges: a copy that blocks waits for its own; a call that synchronises waits for the device
 * work of its program that was the last to end while it waited. Which stream a call waited for is
 * not in every profile: where another one's work ended later, during the wait, that is taken.
 */
void execution_waits(struct graph *calls, uint32_t from, uint32_t to);
/* Whether a call of a runtime's interface waits for the device: "hipStreamSynchronize". */
bool execution_is_sync(const char *name);
/* Whether it copies and returns when that is done: "cudaMemcpy", not "cudaMemcpyAsync". */
bool execution_is_blocking_copy(const char *name);

#endif
