/*
 * What followed from what among the calls of a profile: readers tell spans, lanes, and which call
 * launched what; order within lanes and what the host waited for are found here.
 */
#ifndef ROOFTOP_ENGINE_GRAPH_EXECUTION_H
#define ROOFTOP_ENGINE_GRAPH_EXECUTION_H

#include "engine/graph/graph.h"

/* Sequence edges between neighbours (below one parent, the one ended when the other began), in
 * calls[from..to). */
void execution_sequence(struct graph *calls, uint32_t from, uint32_t to);
/* Kernels and transfers of queues in calls[from..to), in order of end; n of them. The caller's. No
 * edge is looked at: another thread may add some meanwhile. */
uint32_t *execution_device_work(const struct graph *calls, uint32_t from, uint32_t to, uint32_t *n);
/*
 * Joins edges: a copy that blocks waits for its own; a call that synchronises waits for the device
 * work of its program that was the last to end while it waited. Which stream a call waited for is
 * not in every profile: where another one's work ended later, during the wait, that is taken.
 * work, n: execution_device_work.
 */
void execution_waits(struct graph *calls, uint32_t from, uint32_t to, const uint32_t *work,
                     uint32_t n);
/*
 * Inferred edges, for device work whose start nothing explains: neither what its queue did before,
 * nor its launch, nor what it depends on, ended less than EXPLAINED before it. It follows the work
 * of its queue that was the last to end before, where others of the queue overlap it (no sequence
 * edge then); else, of the other queues of its program, what ended at most CLOSE before it: an
 * event's wait that the profile does not tell. Both times are choices, above what events and
 * launches take by themselves. work: all of the program's, in order of end; n of them.
 */
enum { EXECUTION_EXPLAINED_NS = 20000, EXECUTION_CLOSE_NS = 10000 };
void execution_inferred(struct graph *calls, const uint32_t *work, size_t n);
/* Whether a call of a runtime's interface waits for the device: "hipStreamSynchronize". */
bool execution_is_sync(const char *name);
/* Whether a call of the system's libraries waits until something happens: "poll", "sem_wait". */
bool execution_is_wait(const char *name);
/* Whether it copies and returns when that is done: "cudaMemcpy", not "cudaMemcpyAsync". */
bool execution_is_blocking_copy(const char *name);

#endif
