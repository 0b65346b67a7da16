/*
 * The critical path of an execution graph: the walk back from its end over what came last. How the
 * graph becomes activities with causes is in path_work.h; docs/CRITICAL_PATH.md has the definition.
 *
 * At each moment a thread does what its span that began last, and has not ended, does. Work of a
 * device begins after its call, after the work before it in its queue, and after what its queue
 * waited for. A call that waits is cut where what it waited for had ended. The path leads from the
 * begin of the trace to the last end of those that feed devices (of all, if none does), and its
 * steps add up to that time: what nothing explains is a step too, of the part PATH_WAIT.
 *
 * A question schedules all activities again in their order, with every cause. Slack is how much
 * later a node could begin without moving the end, by the same schedule. Nodes without times, and
 * edges that contradict the times, take no part. Measured times are never changed in the graph.
 */
#pragma once

#include "engine/graph/graph.h"

/*
 * The kind of a step. Communication is the time of collectives (engine/trace/collective.h), with
 * their wait for peers. Unknown is time of the host in which nothing was recorded. Waiting is time
 * for which no reason is known.
 */
enum path_part {
    PATH_COMPUTE,
    PATH_COPY,
    PATH_COMMUNICATION,
    PATH_LATENCY,
    PATH_HOST,
    PATH_UNKNOWN,
    PATH_WAIT,
    PATH_PARTS
};

enum { PATH_LATE_NS = 20000 }; /* a launch takes no longer than this, or than its call */

struct critical_step {
    uint32_t node; /* the node that takes the time; a lane for time in which nothing was recorded */
    uint8_t part;  /* enum path_part */
    bool latency;  /* the step is the latency from the node's launch to what it launched */
    bool inferred; /* only the times suggest that it follows the step before */
    uint64_t start;  /* ns since the path's begin */
    uint64_t length; /* ns */
};

/* What twice the speed of all work of a kind would save. GAIN_DEVICE: kernels and communication;
 * GAIN_HOST: with time in which nothing was recorded. */
enum path_gain { GAIN_DEVICE, GAIN_COPY, GAIN_COMMUNICATION, GAIN_HOST, PATH_GAINS };

struct critical_path {
    uint64_t begin;     /* when it begins, in the graph's clock */
    uint64_t length;    /* ns: the sum of the steps */
    uint64_t host_busy; /* part of length: host steps while a device was busy, so the host then
                         * delayed something later; 0 for a changed path */
    uint64_t moved; /* ns; the largest shift of a program's devices, whose work was recorded before
                       its call */
    struct critical_step *steps;
    uint32_t nsteps;
    uint64_t gain[PATH_GAINS]; /* ns; 0 for a changed path */
    uint64_t *slack;           /* of each node, ns; GRAPH_UNKNOWN for what takes no part */
};

/* Finds the critical path of a finished graph. 0, or -ENOMEM or, if the watch says stop
 * (base/watch.h), -ECANCELED with err. Free *out with critical_path_free. */
int critical_path_find(const struct graph *g, struct critical_path *out, struct error *err);

/* Assumed speeds. The own time of a node takes 1/speed of the measured time, in whole ns. Waiting
 * takes as long as needed or, for no known reason, as measured. Everything later moves. */
struct critical_change {
    const uint8_t *group; /* of each node */
    double speed[256];    /* of each group, > 0; 1 = as measured, INFINITY = takes no time */
};
#define CRITICAL_MOST ((uint64_t)1 << 62) /* no part gets longer than this */
int critical_path_changed(const struct graph *g, const struct critical_change *change,
                          struct critical_path *out, struct error *err);
void critical_path_free(struct critical_path *p);

/* The causes and the order of a graph's activities, which take most of the time of a search. They
 * serve for the measured path and for the lengths of changed ones. */
struct path_work;
int critical_path_begin(const struct graph *g, struct path_work **out, struct error *err);
/* The measured path, as critical_path_find finds it. */
int critical_path_search(struct path_work *w, struct critical_path *out, struct error *err);
/* The path lengths (ns) for n changes, into lengths[0..n). Each is one pass over the order. */
int critical_path_lengths(struct path_work *w, const struct critical_change *changes, size_t n,
                          uint64_t *lengths, struct error *err);
void critical_path_end(struct path_work *w); /* w may be NULL */
