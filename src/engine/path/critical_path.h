/*
 * The longest chain of work through an execution graph, and how long each node could be delayed
 * without making the whole longer (its slack).
 *
 * A node is two events, its begin and its end. Its own duration leads from one to the other; so do
 * its children, one after another: time is counted once, in a parent or in its children, never in
 * both. Sequence, depends and transfer edges lead from an end to a begin, joins from an end to an
 * end: what a node waited there is not its own time. Where starts are known,
 * the pause between neighbours of one thread inside a parent is the parent's own work: it begins
 * when the last of all that the later one waited for had ended (its neighbour, what it depends on,
 * its parent's begin). Neighbours are those with a sequence edge; children without one are parallel
 * and each keeps its measured distance to its parent's begin and end. What was launched begins in
 * its parent and may end after it. A launch edge beside the parent leads from begin to begin: what
 * a device runs waits for its queue and for the call that launched it; what is left between is the
 * launch's latency; of latency above EXECUTION_EXPLAINED_NS, what passed while the device was at
 * work is a step of the queue: it waited for what the profile does not tell. A queue's idle time is
 * nobody's work. Ranges on queues are no part of it.
 *
 * Time of the host of which nothing is known (graph_is_unknown: between two calls of a thread,
 * between those in a range, in a call that waits for whatever) may be work or waiting. When chains
 * are compared, it counts half where a device was at work for the program, which explains as much
 * of that time, else all but a hundredth: a chain of known work wins against one of it that is as
 * long. Lengths and slack are told in full: a node beside the path, but on a longer chain of which
 * nothing is known, has none.
 *
 * Of several longest paths the one through
 * children comes before a parent's own time, then what begins earlier, by what is seen of nodes. J.
 * E. Kelley, "Critical-Path Planning and Scheduling: Mathematical Basis", Operations Research 9
 * (1961): earliest times forward, latest backward, slack is their difference.
 */
#ifndef ROOFTOP_ENGINE_PATH_CRITICAL_PATH_H
#define ROOFTOP_ENGINE_PATH_CRITICAL_PATH_H

#include "engine/graph/graph.h"

enum { CRITICAL_UNKNOWN_BUSY = 2, CRITICAL_UNKNOWN_IDLE = 100 }; /* a half, a hundredth less */

struct critical_step {
    uint32_t node;
    bool latency;    /* from its begin, or what was waited for, to the begin of what it launched */
    bool inferred;   /* that it comes after the step before, nothing but the times say */
    uint64_t start;  /* ns since the path's begin: earliest possible */
    uint64_t length; /* ns it adds to the path: its duration, or a parent's own part of it */
};

struct critical_path {
    uint64_t length;    /* ns */
    uint64_t host_busy; /* of it, on the host while a device was at work for its program: what the
                         * host did then let something later come late; 0 of what was changed */
    struct critical_step *steps;
    uint32_t nsteps;
    uint64_t *slack;  /* of every node, ns; GRAPH_UNKNOWN for nodes in a cycle, and for context */
    uint32_t ncyclic; /* nodes in a cycle, or whose end comes after one: no order exists for them */
    uint32_t first_cyclic; /* one of them, GRAPH_NONE = none */
};

/* The graph is finished. 0, -ENOMEM, or -ECANCELED where nobody wants it any more (base/watch.h).
 */
int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err);

/* Speeds that nobody measured. What a node did itself (its duration, or what it did around its
 * children and waits) takes 1/speed of the time, in whole nanoseconds; pauses of others, and
 * what passes from the end of a call that launches to the begin of what it launched, stay as they
 * were measured; all that comes later moves. */
struct critical_change {
    const uint8_t *group; /* of every node */
    double speed[256];    /* of each group, > 0; 1 = as measured, INFINITY = in no time */
};
#define CRITICAL_MOST ((uint64_t)1 << 62) /* no part gets longer than this, however slow */
int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err);
/* Of n changes the lengths alone: the order is found once, each change is one pass over it. */
int critical_path_lengths(const struct graph *g, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err);
void critical_path_free(struct critical_path *p);

#endif
