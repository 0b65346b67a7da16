/*
 * Builds a trace's graph of calls for the readers of ROCm's profiles: programs, their host threads
 * and the queues of their GPUs, and the spans in each. Host calls come in any order; at the end
 * they are nested and linked to the work that they launched. Times are in ns, as in the file.
 */
#pragma once

#include "engine/trace/trace_short.h"

#define ROCM_UNKNOWN INT64_MIN       /* a number that the file does not have */
#define ROCM_COPIES  (INT64_MIN + 1) /* in place of a queue: copies outside any queue */

struct rocm_lane {
    uint32_t program, agent; /* a node; an index in the trace, or a marker from timeline.c */
    int64_t queue, stream;   /* queue: or the tid */
    uint32_t node;           /* for groups: the number of streams */
};

struct rocm_region {
    uint64_t start, end, correlation, order;
    uint32_t thread, name, node;
    bool range; /* from a marker, not a call */
};

struct rocm_launch {
    uint64_t correlation;
    uint32_t program, node;
};

struct rocm_timeline {
    struct trace *t;
    struct rocm_lane *lanes;
    struct hash_table lane_by_content;
    struct rocm_region *regions;
    struct rocm_launch *launches;
    uint32_t nlanes, lanes_cap, nregions, regions_cap, nlaunches, launches_cap;
    uint32_t last;              /* the lane used last */
    struct trace_cut cut;       /* length below which spans are not kept, if the reader sets it */
    struct trace_shorts shorts; /* sums of these spans, by the node of the lane */
};

/* A span on a device. */
struct rocm_span {
    uint32_t program, agent; /* node; index in the trace's agents, TRACE_UNKNOWN */
    int64_t queue, stream;
    uint64_t start, end;  /* GRAPH_UNKNOWN for a dispatch without times */
    uint64_t correlation; /* of the call that launched it; 0: unknown */
    uint32_t name;
};

struct rocm_kernel {
    struct rocm_span span;
    uint32_t items[3], group[3];   /* work-items of the grid and of a workgroup; 0: unknown */
    struct trace_dispatch details; /* except node and agent */
};

/* Values that kernels with the same launch parameters share, if all of them are known. */
struct rocm_alike {
    uint32_t program, lane, name, detail, launch; /* launch TRACE_UNKNOWN: a copy (blit.h) */
};

struct rocm_copy {
    struct rocm_span span; /* except agent and name, and the queue if it has none */
    const char *kind;      /* "MEMORY_COPY_HOST_TO_DEVICE"; NULL: unknown */
    uint32_t from, to;     /* agents; TRACE_UNKNOWN */
    uint64_t bytes;
};

static inline void rocm_timeline_init(struct rocm_timeline *l, struct trace *t)
{
    *l = (struct rocm_timeline){.t = t, .shorts.t = t};
}
void rocm_timeline_free(struct rocm_timeline *l);

/* Whether these are valid times of a span; otherwise counts it as dropped. */
bool rocm_times(struct trace *t, int64_t start, int64_t end);
/* Adds a node for a program; command NULL or "": the pid is its name. GRAPH_NONE: the graph is
 * full. */
uint32_t rocm_program(struct rocm_timeline *l, int64_t pid, const char *command);
/* Return nodes, made on first use. name: of the thread, NULL: unknown. */
uint32_t rocm_thread(struct rocm_timeline *l, uint32_t program, int64_t tid, const char *name);
uint32_t rocm_queue(struct rocm_timeline *l, uint32_t program, uint32_t agent, int64_t queue,
                    int64_t stream);

/* Adds a call or a range of markers. Counts it in spans, or in dropped if the graph is full. If it
 * is too short it becomes part of a sum and gets no node; this also holds for the functions below.
 * order: of regions with the same times, the outer one has the lower number. correlation 0:
 * launched nothing. node is ignored. */
void rocm_add_region(struct rocm_timeline *l, const struct rocm_region *region);
/* Return the new node; GRAPH_NONE: the graph is full, or it is too short. out: if there is a node,
 * filled for similar kernels that follow; NULL is allowed. */
uint32_t rocm_add_kernel(struct rocm_timeline *l, const struct rocm_kernel *k,
                         struct rocm_alike *out);
uint32_t rocm_add_alike(struct rocm_timeline *l, const struct rocm_alike *a, uint64_t start,
                        uint64_t end, uint64_t correlation, uint64_t id);
uint32_t rocm_add_copy(struct rocm_timeline *l, const struct rocm_copy *c);
/* The lane and the name of a copy, for those that become part of a sum. */
uint32_t rocm_copy_lane(struct rocm_timeline *l, const struct rocm_copy *c);
uint32_t rocm_copy_name(struct trace *t, uint32_t direction);

/* Nests the calls, links them to their work, and names the queues. */
void rocm_timeline_finish(struct rocm_timeline *l);
