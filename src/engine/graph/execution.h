/*
 * Finds the order of cause and effect among the calls of a profile. Readers supply spans, lanes,
 * and which call launched what; this adds the order within lanes and what the host waited for.
 */
#pragma once

#include "engine/graph/graph.h"

/* A bit of graph.flags: an interpreter's function (Python), which shows where a thread was. */
enum { NODE_FRAME = 16 };

/* Adds sequence edges in calls[from..to) between neighbours: two calls of one parent, of which one
 * had ended when the other began. */
void execution_sequence(struct graph *calls, uint32_t from, uint32_t to);
/* The kernels and transfers of queues in calls[from..to), in order of end; *n is their number. The
 * caller frees the list. Edges are not read, so another thread may add some meanwhile. */
uint32_t *execution_device_work(const struct graph *calls, uint32_t from, uint32_t to, uint32_t *n);
/*
 * Adds joins edges. A call that copies, and returns after its copy had ended, waited for it. A call
 * that synchronises waits for the work of its program: for the last of each queue that had been
 * launched before. Readers that know what a call waited for add those edges themselves.
 * work, n: execution_device_work.
 */
enum { EXECUTION_NEAR_NS = 3000 }; /* clocks of a host and a device agree only so far */
void execution_waits(struct graph *calls, uint32_t from, uint32_t to, const uint32_t *work,
                     uint32_t n);
/*
 * Adds inferred edges: work that began at most EXECUTION_CLOSE_NS after work of another queue of
 * its program ended, and long after all its known causes (its launch, the work before it in its
 * queue, its dependencies), probably waited for an event that the profile does not show. If its
 * causes are known, and ended 50 times as long before, up to EXECUTION_FAR_NS are accepted: signals
 * between queues take 7 to 19 us in public profiles of MI300 and of NVIDIA GPUs. A launch may take
 * EXECUTION_LAUNCH_NS. work: the n device works of the program, in order of end.
 */
enum { EXECUTION_LAUNCH_NS = 12000, EXECUTION_CLOSE_NS = 5000, EXECUTION_FAR_NS = 20000 };
void execution_inferred(struct graph *calls, const uint32_t *work, size_t n);
/*
 * Adds inferred edges for calls that record an event and make a queue wait for it, if no dependency
 * between queues is known: the next work launched on another queue waited for the last work
 * launched before the record or, if the profile has no records, before the wait.
 */
void execution_events(struct graph *calls, uint32_t from, uint32_t to);
/* Whether a call of a runtime waits for the device: "hipStreamSynchronize". */
bool execution_is_sync(const char *name);
/* Whether a call of the system's libraries, or a function of Python's, waits until something
 * happens: "poll", "sem_wait", "threading.py(655): wait". */
bool execution_is_wait(const char *name);
/* Whether it waits for a period, which no thread ends: "usleep", "<built-in function sleep>". */
bool execution_is_sleep(const char *name);
/* Whether a call copies: "cudaMemcpy", "hipMemcpyWithStream". */
bool execution_is_copy(const char *name);
