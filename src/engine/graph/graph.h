/*
 * The execution graph: what ran inside what, after what, and because of what. It is a structure of
 * arrays with interned names, so that 10^7 nodes fit and a pass over them reads memory in order.
 *
 * There are two kinds of graph: of calls (each node is one span with its start) and of sums (each
 * node stands for all calls at one place of the tree; its work says how many). Times are
 * nanoseconds. One thread builds a graph; graph_finish links the children. After that it is
 * read-only and shared by reference.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define GRAPH_NONE    UINT32_MAX
#define GRAPH_UNKNOWN UINT64_MAX /* a duration, start or size nobody measured */
enum { GRAPH_MAX_NODES = 100000000, GRAPH_MAX_EDGES = 400000000 };

enum node_kind {
    NODE_PROGRAM,
    NODE_THREAD,
    NODE_BACKEND, /* scope of one implementation: "avx2", "cuda:0" */
    NODE_LAYER,
    NODE_BRICK,
    NODE_KERNEL,
    NODE_TRANSFER,
    NODE_FUNCTION,
    NODE_TASK,  /* asynchronous */
    NODE_QUEUE, /* a device's queue or stream; a lane, like a thread */
    NODE_RANGE, /* a phase that the program named (NVTX, rocTX, record_function): see below */
    NODE_KINDS
};
enum node_category { CATEGORY_NORM, CATEGORY_ATTENTION, CATEGORY_FFN, CATEGORY_OTHER, CATEGORIES };

/* A node has at most one parent; every other relation is an edge. */
enum edge_kind {
    EDGE_CONTAINS,
    EDGE_LAUNCHES, /* parent started it and went on: it may end after its parent */
    EDGE_CALLS,
    EDGE_SEQUENCE, /* in one thread or queue, "to" began after "from" had ended */
    EDGE_DEPENDS,  /* "to" could not begin before "from" had ended */
    EDGE_TRANSFER,
    EDGE_JOINS,    /* "to" waited for "from": it could not end before "from" had ended */
    EDGE_INFERRED, /* like EDGE_DEPENDS, but a guess: "to" began just after "from" had ended */
    EDGE_MEETS,    /* both are members of one collective of several ranks (rank_edges.h) */
    EDGE_MESSAGE,  /* "to" received what "from" sent: it could not end before "from" had begun */
    EDGE_KINDS
};

/*
 * A range says which phase a program was in, not that it worked. On the host it contains the calls
 * within it; its self time is time in which nothing was recorded. A range that a profiler mirrors
 * onto a queue is only context (graph_is_context): it contains none of the queue's work, counts no
 * time of the queue, and has no edges of order.
 */

enum {
    NODE_DEVICE_TIME = 1, /* timed by the device, not by the host */
    NODE_FAILED = 2,
    NODE_COLLECTIVE = 4, /* communication between processors (engine/trace/collective.h) */
    NODE_CALLS = 8       /* a queue that has a thread's system calls, to draw beside the thread */
};

/* Sums over all calls that a node stands for. */
struct graph_work {
    uint64_t count, total, min, max; /* times in ns; min and max GRAPH_UNKNOWN: not measured */
    double sum_squares;              /* ns^2 */
    uint32_t histogram;              /* index into graph.histograms; GRAPH_NONE = none */
    uint32_t extra;                  /* 1 + index into graph.extras; 0 = none; see graph_extra_of */
};

/* Further sums that only places of bricks and transfers have. */
struct graph_extra {
    uint64_t elements, bytes, flops; /* bytes and flops as the program declared them */
    uint64_t budget;                 /* ns that one call should not exceed; 0 = none */
    uint64_t recent_count, recent_total, recent_bytes, recent_flops; /* in the last interval */
    uint64_t busiest; /* ns spent here by the thread with most time in all places of this name */
    /* For a name that several threads ran (roofline_share.h), over the spans that are still kept:
     * `any` is this place's part of the ns in which at least one thread ran it; the others are the
     * sums of those spans. any 0: unknown. */
    uint64_t any, any_total, any_bytes, any_flops;
};

/* Durations of calls (engine/value/histogram.h). */
struct histogram;

/* Data that only some kinds have. The node's kind says which member of the union is valid. */
struct graph_detail {
    union {
        struct {
            uint64_t hash; /* of the kernel's code; 0 = unknown */
            uint32_t grid[3], block[3], shared_bytes;
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t direction; /* enum: 0 H2D, 1 D2H, 2 D2D */
            uint32_t from, to;  /* names */
        } transfer;
        struct {
            uint32_t file, line; /* a name, GRAPH_NONE unknown */
            /* 1 + a name: the functions that were active, outermost first, each on a line. 0: none.
             * In sums they are places around the call's place. */
            uint32_t callers;
        } function;
        struct {
            uint64_t polls, yields, poll_ns;
        } task;
        struct {
            double peak_flops, peak_bytes; /* a second; 0 unknown */
            uint32_t how;                  /* a name: the source of the peaks, or GRAPH_NONE */
            uint32_t spread_flops, spread_bytes; /* per mille of the peak; 0 = unknown */
        } backend;
        struct {
            uint64_t elements;
        } brick; /* in graphs of calls */
        struct {
            uint32_t index;
        } layer;
        struct {
            int64_t id; /* pid, tid, number of the queue or stream */
        } thread;
    };
};

/* Arrays have nnodes elements, those of edges nedges. Only the functions below may write them. */
struct graph {
    uint64_t serial; /* unique among all graphs of this process */
    uint32_t nnodes, nedges, ndetails, nworks, nextras, nnames;
    uint8_t *kind, *category, *flags;
    uint32_t *name;
    uint32_t *parent; /* GRAPH_NONE = a root */
    uint8_t *via;     /* enum edge_kind: how its parent contains it */
    uint64_t *start;  /* ns of CLOCK_MONOTONIC, or GRAPH_UNKNOWN */
    uint64_t *duration;
    uint32_t *detail;                     /* indices, GRAPH_NONE = none */
    uint32_t *work;                       /* likewise; NULL if no node has one; see graph_work_of */
    uint32_t *first_child, *next_sibling; /* set by graph_finish, in order of index */
    uint32_t first_root;
    struct graph_detail *details;
    struct graph_work *works;
    struct graph_extra *extras;
    struct histogram **histograms;
    uint32_t nhistograms;
    uint32_t *edge_from, *edge_to;
    uint8_t *edge_kind;
    const struct briefs *briefs; /* short names of kernels, or NULL. The trace owns them and resets
                                    this when it is freed (trace/graph_brief.h). */
    struct graph_clocks *clocks; /* Lamport clocks of calls (graph_clocks.h), or NULL; owned */
    struct graph_counters *counters; /* counts of the nodes (graph_counters.h), or NULL; owned */
    struct graph_syscalls *syscalls; /* calls inside the nodes (graph_syscalls.h), or NULL; owned */
    struct graph_private *priv;
};

struct graph *graph_new(void); /* with one reference */
struct graph *graph_ref(const struct graph *g);
void graph_unref(const struct graph *g); /* NULL allowed */

uint32_t graph_intern(struct graph *g, const char *text); /* equal texts get the same number */
const char *graph_text(const struct graph *g, uint32_t name);
static inline const char *graph_name(const struct graph *g, uint32_t node)
{
    return graph_text(g, g->name[node]);
}

/* Whether a node is a range on a queue: it is drawn and named, but it is no work. */
static inline bool graph_is_context(const struct graph *g, uint32_t node)
{
    return g->kind[node] == NODE_RANGE && g->parent[node] != GRAPH_NONE &&
           g->kind[g->parent[node]] == NODE_QUEUE;
}

/* Whether a node's self time is time of the host in which nothing was recorded. Collectives of the
 * host are ranges too, but their time is known. */
static inline bool graph_is_unknown(const struct graph *g, uint32_t node)
{
    return g->kind[node] == NODE_THREAD || g->kind[node] == NODE_PROGRAM ||
           (g->kind[node] == NODE_RANGE && !(g->flags[node] & NODE_COLLECTIVE));
}

/* Adds a node; parent must exist already. Returns its index, or GRAPH_NONE if the graph is full. */
uint32_t graph_add(struct graph *g, enum node_kind kind, uint32_t name, uint32_t parent,
                   enum edge_kind via, uint64_t start, uint64_t duration);
/* The node's record, which the first call creates with zeros. The pointer is valid until the next
 * call of the same function. */
struct graph_detail *graph_detail(struct graph *g, uint32_t node);
struct graph_work *graph_work(struct graph *g, uint32_t node);
struct graph_extra *graph_extra(struct graph *g, uint32_t node); /* also creates the node's work */
/* NULL if the node has no work. */
static inline const struct graph_work *graph_work_of(const struct graph *g, uint32_t node)
{
    return g->work && g->work[node] != GRAPH_NONE ? &g->works[g->work[node]] : NULL;
}
/* Never NULL: a node without extra sums gets zeros. */
const struct graph_extra *graph_extra_of(const struct graph *g, uint32_t node);
/* Sets a kernel's detail. All launches of the same shape share it: do not change it afterwards. */
void graph_set_kernel(struct graph *g, uint32_t node, const struct graph_detail *d);
/* Gives a node the detail of another node: detail is g->detail[other]. */
static inline void graph_share_detail(struct graph *g, uint32_t node, uint32_t detail)
{
    g->detail[node] = detail;
}
/* Takes ownership of h (histogram.h). Returns its index, for graph_work.histogram. */
uint32_t graph_add_histogram(struct graph *g, struct histogram *h);
/* Adds an edge. false if the graph is full or a node does not exist. */
bool graph_connect(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind);
void graph_finish(struct graph *g); /* links children and roots; may be called again after adding */

/* The ns that a share q (0..1) of the calls of a node of sums did not exceed, off by at most 1/32
 * of itself. NaN if there are several calls and no histogram. */
double graph_quantile(const struct graph *g, uint32_t node, double q);
/* Mean and standard deviation of one call, ns; NaN without calls. */
double graph_mean(const struct graph *g, uint32_t node);
double graph_deviation(const struct graph *g, uint32_t node);
/* Self time: the node's ns without those of its children. */
uint64_t graph_self(const struct graph *g, uint32_t node);

/* Bytes of memory that the graph takes. */
size_t graph_memory(const struct graph *g);

const char *node_kind_name(enum node_kind k);         /* "layer", "brick"… */
const char *node_category_name(enum node_category c); /* "Norm", "Attention", "FFN", "Other" */
const char *edge_kind_name(enum edge_kind k);         /* "contains"… */

/* Whether a span ran on a device: it is in a queue or the device timed it. Kernels of a CPU backend
 * did not. */
static inline bool graph_on_device(const struct graph *calls, uint32_t node)
{
    uint32_t up = calls->parent[node];
    return (up != GRAPH_NONE && calls->kind[up] == NODE_QUEUE) ||
           (calls->flags[node] & NODE_DEVICE_TIME);
}

/* Whether a node is a thread or a queue, in which spans lie. */
static inline bool graph_is_lane(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_THREAD || g->kind[v] == NODE_QUEUE;
}

static inline bool graph_has_time(const struct graph *g, uint32_t v)
{
    return g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}

/* The root above a node: its program, or its lane if that has no program. */
static inline uint32_t graph_root(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

/* Whether a node is a kernel or a copy. */
static inline bool graph_is_work(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_KERNEL || g->kind[v] == NODE_TRANSFER;
}
