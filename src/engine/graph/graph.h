/*
 * The execution graph: what ran inside of what, after what, because of what. A structure of arrays
 * with interned names, so that 10^7 nodes fit and one pass over them is a pass over memory.
 *
 * Two kinds of graph are made of it: of calls (each node one span with its start) and of sums (each
 * node all calls at one place of the tree; its work says how many). Times are nanoseconds. Built by
 * one thread; graph_finish links the children; read-only and shared by reference from then on.
 */
#ifndef ROOFTOP_ENGINE_GRAPH_GRAPH_H
#define ROOFTOP_ENGINE_GRAPH_GRAPH_H

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
    NODE_QUEUE, /* of a device, or a stream: a lane, as a thread is one */
    NODE_RANGE, /* a phase that a program named (NVTX, rocTX, record_function): see below */
    NODE_KINDS
};
enum node_category { CATEGORY_NORM, CATEGORY_ATTENTION, CATEGORY_FFN, CATEGORY_OTHER, CATEGORIES };

/* A node has at most one parent; what else it belongs to is an edge. */
enum edge_kind {
    EDGE_CONTAINS,
    EDGE_LAUNCHES, /* parent started it and went on: it may end after its parent */
    EDGE_CALLS,
    EDGE_SEQUENCE, /* the one began when the other had ended, in one thread or queue */
    EDGE_DEPENDS,  /* "to" could not begin before "from" had ended */
    EDGE_TRANSFER,
    EDGE_JOINS,    /* "to" could not end before "from" had ended: it waited for it */
    EDGE_INFERRED, /* as depends, but nothing says so: the one began as the other had ended */
    EDGE_KINDS
};

/*
 * A range says where a program was, not that it did anything. On the host it holds the calls that
 * lie in it, and what it has of its own is time in which nothing was recorded. Mirrored onto a
 * queue it is context (graph_is_context): it lies beside the queue's work, holds none of it, takes
 * no time of the queue and is before or after nothing.
 */

enum {
    NODE_DEVICE_TIME = 1, /* timed by the device, not by the host */
    NODE_FAILED = 2,
    NODE_COLLECTIVE = 4 /* communication between processors (engine/trace/collective.h) */
};

/* All calls a node stands for. */
struct graph_work {
    uint64_t count, total, min, max; /* ns; GRAPH_UNKNOWN min and max: not measured */
    double sum_squares;              /* ns^2 */
    uint32_t histogram;              /* index into graph.histograms; GRAPH_NONE = none */
    uint32_t extra;                  /* 1 + index into graph.extras; 0 = none: graph_extra_of */
};

/* What few nodes have beside: places of bricks, transfers. */
struct graph_extra {
    uint64_t elements, bytes, flops;     /* bytes and flops: as the program declares them */
    uint64_t budget;                     /* ns one call should not exceed; 0 = none */
    uint64_t recent_count, recent_total; /* of the last interval */
    uint64_t busiest; /* ns here of the thread that spent most in all places of this name */
    /* Of the spans that are still known, where several threads ran this name (roofline_share.h): ns
     * in which any of them did, of which this place has its part; and what it did in them. 0 any:
     * not known. */
    uint64_t any, any_total, any_bytes, any_flops;
};

/* How often calls took how long: log-linear buckets (engine/value/histogram.h). */
struct histogram;

/* What only some kinds have; which part holds is the node's kind. */
struct graph_detail {
    union {
        struct {
            uint64_t hash; /* of the code; 0 unknown */
            uint32_t grid[3], block[3], shared_bytes;
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t direction; /* 0 H2D, 1 D2H, 2 D2D */
            uint32_t from, to;  /* names */
        } transfer;
        struct {
            uint32_t file, line; /* a name, GRAPH_NONE unknown */
        } function;
        struct {
            uint64_t polls, yields, poll_ns;
        } task;
        struct {
            double peak_flops, peak_bytes; /* a second; 0 unknown */
            uint32_t how;                  /* a name: where they are from; GRAPH_NONE unknown */
            uint32_t spread_flops, spread_bytes; /* per mille of the peak; 0 not told */
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

/* Arrays of nnodes, edges of nedges. Read them; write through the functions below. */
struct graph {
    uint64_t serial; /* another one for every graph there ever was */
    uint32_t nnodes, nedges, ndetails, nworks, nextras, nnames;
    uint8_t *kind, *category, *flags;
    uint32_t *name;
    uint32_t *parent; /* GRAPH_NONE = a root */
    uint8_t *via;     /* enum edge_kind: how the parent holds it */
    uint64_t *start;  /* ns of CLOCK_MONOTONIC; GRAPH_UNKNOWN */
    uint64_t *duration;
    uint32_t *detail;                     /* indices, GRAPH_NONE = none */
    uint32_t *work;                       /* the same; NULL where no node has one: graph_work_of */
    uint32_t *first_child, *next_sibling; /* after graph_finish, in order of index; first_root */
    uint32_t first_root;
    struct graph_detail *details;
    struct graph_work *works;
    struct graph_extra *extras;
    struct histogram **histograms;
    uint32_t nhistograms;
    uint32_t *edge_from, *edge_to;
    uint8_t *edge_kind;
    const struct briefs *briefs; /* names of its kernels, to be read: a trace's, which takes them
                                    back when it is freed (trace/graph_brief.h); NULL */
    struct graph_private *priv;
};

struct graph *graph_new(void); /* one reference */
struct graph *graph_ref(const struct graph *g);
void graph_unref(const struct graph *g); /* NULL allowed */

uint32_t graph_intern(struct graph *g, const char *text); /* the same text, the same number */
const char *graph_text(const struct graph *g, uint32_t name);
static inline const char *graph_name(const struct graph *g, uint32_t node)
{
    return graph_text(g, g->name[node]);
}

/* A range on a queue: drawn and named, no part of what ran. */
static inline bool graph_is_context(const struct graph *g, uint32_t node)
{
    return g->kind[node] == NODE_RANGE && g->parent[node] != GRAPH_NONE &&
           g->kind[g->parent[node]] == NODE_QUEUE;
}

/* What such a node has of its own is time of the host in which nothing was recorded. Collectives of
 * the host are told as ranges: those are known. */
static inline bool graph_is_unknown(const struct graph *g, uint32_t node)
{
    return g->kind[node] == NODE_THREAD || g->kind[node] == NODE_PROGRAM ||
           (g->kind[node] == NODE_RANGE && !(g->flags[node] & NODE_COLLECTIVE));
}

/* The new node's index; GRAPH_NONE where the graph is full. parent must exist already. */
uint32_t graph_add(struct graph *g, enum node_kind kind, uint32_t name, uint32_t parent,
                   enum edge_kind via, uint64_t start, uint64_t duration);
/* Zeroed; valid until the next call of the same function. A second call gives the same one. */
struct graph_detail *graph_detail(struct graph *g, uint32_t node);
struct graph_work *graph_work(struct graph *g, uint32_t node);
struct graph_extra *graph_extra(struct graph *g, uint32_t node); /* the node has work, then */
/* NULL: the node has none. */
static inline const struct graph_work *graph_work_of(const struct graph *g, uint32_t node)
{
    return g->work && g->work[node] != GRAPH_NONE ? &g->works[g->work[node]] : NULL;
}
/* Where the node has none it is all zero; never NULL. */
const struct graph_extra *graph_extra_of(const struct graph *g, uint32_t node);
/* A kernel's, shared with all launches of the same shape: not to be changed afterwards. */
void graph_set_kernel(struct graph *g, uint32_t node, const struct graph_detail *d);
/* That of another node: g->detail[other]. */
static inline void graph_share_detail(struct graph *g, uint32_t node, uint32_t detail)
{
    g->detail[node] = detail;
}
/* Takes h over (histogram.h); its index for graph_work.histogram. */
uint32_t graph_add_histogram(struct graph *g, struct histogram *h);
/* false: full, or a node that is not there. */
bool graph_connect(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind);
void graph_finish(struct graph *g); /* links children and roots; may be called again after adding */

/* The time that a share q of all calls of a node of sums stayed below, ns; NaN where no histogram
 * was kept and there are several calls. Off by at most 1/32 of itself. */
double graph_quantile(const struct graph *g, uint32_t node, double q);
/* Mean and standard deviation of one call, ns; NaN without calls. */
double graph_mean(const struct graph *g, uint32_t node);
double graph_deviation(const struct graph *g, uint32_t node);
/* What a node took that none of its children did, ns. */
uint64_t graph_self(const struct graph *g, uint32_t node);

/* Bytes held. */
size_t graph_memory(const struct graph *g);

const char *node_kind_name(enum node_kind k);         /* "layer", "brick"… */
const char *node_category_name(enum node_category c); /* "Norm", "Attention", "FFN", "Other" */
const char *edge_kind_name(enum edge_kind k);         /* "contains"… */

/* Whether a span ran on a device: in a queue, or timed by it. Kernels of a CPU's backend did not.
 */
static inline bool graph_on_device(const struct graph *calls, uint32_t node)
{
    uint32_t up = calls->parent[node];
    return (up != GRAPH_NONE && calls->kind[up] == NODE_QUEUE) ||
           (calls->flags[node] & NODE_DEVICE_TIME);
}

/* Whether a node is a kernel or a copy. */
static inline bool graph_is_work(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_KERNEL || g->kind[v] == NODE_TRANSFER;
}

#endif
