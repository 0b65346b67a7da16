/*
 * The longest chain of work through an execution graph, and how long each node could be delayed
 * without making the whole longer (its slack).
 *
 * Each node has two events, its begin and its end. Its own duration leads from one to the other,
 * and so do its children one after another. Time counts once, for the parent or for its children.
 * Edges of sequence, depends and transfer lead from an end to a begin; joins lead from an end to an
 * end. Time in which a node waited for those is not its own.
 *
 * If starts are known, the pause between two neighbours inside a parent is the parent's own work.
 * It begins when everything that the later one waited for has ended (its neighbour, what it depends
 * on) and its parent has begun. Neighbours are nodes with a sequence edge. Children without one are
 * parallel; each keeps its measured distance to its parent's begin and end.
 *
 * A launched node begins in its parent and may end after it. A launch edge from another node leads
 * from begin to begin: device work waits for its queue and for the call that launched it. The time
 * left between is the launch's latency. Of latency above EXECUTION_EXPLAINED_NS, the part in which
 * the device was busy is a step of the queue, because the work waited for something that the
 * profile does not show. A queue's idle time belongs to no node. Ranges on queues are left out.
 *
 * Unknown time of the host (graph_is_unknown: between two calls of a thread or of a range, or in a
 * call that waits for something unknown) may be work or waiting. When chains are compared, it
 * counts half while a device was busy for the program, because that work explains the time as well;
 * otherwise it counts all but a hundredth. So a chain of known work wins against an equally long
 * chain of unknown time. Lengths and slack count it in full: a node that is not on the path, but on
 * a longer chain of unknown time, has no slack.
 *
 * Among equally long paths, one through children is preferred to a parent's own time, then what
 * begins earlier, then by names and other visible properties. J. E. Kelley, "Critical-Path Planning
 * and Scheduling: Mathematical Basis", Operations Research 9 (1961): earliest times forward, latest
 * times backward, slack is their difference.
 */
#ifndef ROOFTOP_ENGINE_PATH_CRITICAL_PATH_H
#define ROOFTOP_ENGINE_PATH_CRITICAL_PATH_H

#include "engine/graph/graph.h"

enum { CRITICAL_UNKNOWN_BUSY = 2, CRITICAL_UNKNOWN_IDLE = 100 }; /* a half, a hundredth less */

struct critical_step {
    uint32_t node;
    bool latency;    /* the step is the latency from the node's launch to what it launched */
    bool inferred;   /* only the times suggest that it follows the step before */
    uint64_t start;  /* earliest possible, ns since the path's begin */
    uint64_t length; /* ns it adds to the path: its duration, or a parent's own part of it */
};

struct critical_path {
    uint64_t length;    /* ns */
    uint64_t host_busy; /* part of length: host steps while a device was busy for the program, so
                         * the host then delayed something later; 0 for a changed path */
    struct critical_step *steps;
    uint32_t nsteps;
    uint64_t *slack;  /* of each node, ns; GRAPH_UNKNOWN for nodes in a cycle and for context */
    uint32_t ncyclic; /* nodes in a cycle, or that end after one: they have no order */
    uint32_t first_cyclic; /* one of them, GRAPH_NONE = none */
};

/* Finds the critical path of a finished graph. 0, or -ENOMEM or, if the watch says stop
 * (base/watch.h), -ECANCELED with err. Free *out with critical_path_free. */
int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err);

/* Assumed speeds. The own time of a node (its duration, or what lies between its children and
 * waits) takes 1/speed of the measured time, in whole ns. Pauses of others, and the time from the
 * end of a launching call to the begin of what it launched, stay as measured. Everything later
 * moves. */
struct critical_change {
    const uint8_t *group; /* of each node */
    double speed[256];    /* of each group, > 0; 1 = as measured, INFINITY = takes no time */
};
#define CRITICAL_MOST ((uint64_t)1 << 62) /* no part gets longer than this, however slow */
int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err);
/* Only the path lengths (ns) for n changes, into lengths[0..n). Finds the order once; each change
 * is then one pass over it. */
int critical_path_lengths(const struct graph *g, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err);
void critical_path_free(struct critical_path *p);

#endif
