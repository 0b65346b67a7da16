/*
 * Finds the order of cause and effect among the calls of a profile. Readers supply spans, lanes,
 * and which call launched what; this adds the order within lanes and what the host waited for.
 */
#ifndef ROOFTOP_ENGINE_GRAPH_EXECUTION_H
#define ROOFTOP_ENGINE_GRAPH_EXECUTION_H

#include "engine/graph/graph.h"

/* Adds sequence edges in calls[from..to) between neighbours: two calls of one parent, of which one
 * had ended when the other began. */
void execution_sequence(struct graph *calls, uint32_t from, uint32_t to);
/* The kernels and transfers of queues in calls[from..to), in order of end; *n is their number. The
 * caller frees the list. Edges are not read, so another thread may add some meanwhile. */
uint32_t *execution_device_work(const struct graph *calls, uint32_t from, uint32_t to, uint32_t *n);
/*
 * Adds joins edges. A blocking copy waits for its own transfer. A call that synchronises waits for
 * the device work of its program that ended last during the call. Not every profile says which
 * stream the call waited for, so this may be work of another stream.
 * work, n: execution_device_work.
 */
void execution_waits(struct graph *calls, uint32_t from, uint32_t to, const uint32_t *work,
                     uint32_t n);
/*
 * Adds inferred edges to device work whose start is unexplained: neither the work before it in its
 * queue, nor its launch, nor what it depends on ended less than EXPLAINED ns before it. If work of
 * its queue overlaps (then there is no sequence edge), it follows the work of that queue that ended
 * last before it. Otherwise it follows work of another queue of its program that ended at most
 * CLOSE ns before it: probably a wait for an event that the profile does not show. Both times are
 * choices, longer than events and launches themselves take. work: the n device works of the
 * program, in order of end.
 */
enum { EXECUTION_EXPLAINED_NS = 20000, EXECUTION_CLOSE_NS = 10000 };
void execution_inferred(struct graph *calls, const uint32_t *work, size_t n);
/* Whether a call of a runtime's interface waits for the device: "hipStreamSynchronize". */
bool execution_is_sync(const char *name);
/* Whether a call of the system's libraries waits until something happens: "poll", "sem_wait". */
bool execution_is_wait(const char *name);
/* Whether a call copies and returns only when the copy is done: "cudaMemcpy", not
 * "cudaMemcpyAsync". */
bool execution_is_blocking_copy(const char *name);

#endif
