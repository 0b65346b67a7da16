/*
 * What the readers of ROCm's profiles build in a trace's graph of calls: programs, their host
 * threads and the queues of their GPUs, and what ran in each. Host calls come in any order and are
 * nested at the end, when all are known; so are the edges from a call to what it launched. Times
 * are ns as in the file.
 */
#ifndef ROOFTOP_BACKENDS_ROCM_TIMELINE_H
#define ROOFTOP_BACKENDS_ROCM_TIMELINE_H

#include "engine/trace/trace_short.h"

#define ROCM_UNKNOWN INT64_MIN       /* a number that the file does not tell */
#define ROCM_COPIES  (INT64_MIN + 1) /* in place of a queue: copies outside of any */

struct rocm_lane {
    uint32_t program, agent; /* a node; an index of the trace, or one of the marks in timeline.c */
    int64_t queue, stream;   /* or the tid */
    uint32_t node;           /* of groups: how many streams */
};

struct rocm_region {
    uint64_t start, end, correlation, order;
    uint32_t thread, name, node;
    bool range; /* a marker's, no call */
};

struct rocm_launch {
    uint64_t correlation;
    uint32_t program, node;
};

struct rocm_timeline {
    struct trace *t;
    struct rocm_lane *lanes;
    uint32_t *slots; /* 1 + index into lanes; 0 free */
    struct rocm_region *regions;
    struct rocm_launch *launches;
    uint32_t nlanes, lanes_cap, nslots, nregions, regions_cap, nlaunches, launches_cap;
    uint32_t last;              /* lane that was asked for last */
    struct trace_cut cut;       /* what is too short to be kept, where the reader sets it */
    struct trace_shorts shorts; /* what was, by the node of its lane */
};

/* What ran on a device. */
struct rocm_span {
    uint32_t program, agent; /* node; index into the trace's agents, TRACE_UNKNOWN */
    int64_t queue, stream;
    uint64_t start, end;  /* GRAPH_UNKNOWN, of a dispatch that no time is told of */
    uint64_t correlation; /* of the call that launched it; 0 unknown */
    uint32_t name;
};

struct rocm_kernel {
    struct rocm_span span;
    uint32_t items[3], group[3];   /* work-items of the grid and of a workgroup; 0 unknown */
    struct trace_dispatch details; /* but for node and agent */
};

/* What kernels have in common that were launched alike, where all is known of them. */
struct rocm_alike {
    uint32_t program, lane, name, detail, launch;
};

struct rocm_copy {
    struct rocm_span span; /* but for agent, name, and the queue where it has none */
    const char *kind;      /* "MEMORY_COPY_HOST_TO_DEVICE"; NULL unknown */
    uint32_t from, to;     /* agents; TRACE_UNKNOWN */
    uint64_t bytes;
};

/* Room for one more of n: the list, moved or not. */
void *rocm_room(void *list, uint32_t n, uint32_t *cap, size_t size);

static inline void rocm_timeline_init(struct rocm_timeline *l, struct trace *t)
{
    *l = (struct rocm_timeline){.t = t, .shorts.t = t};
}
void rocm_timeline_free(struct rocm_timeline *l);

/* false: not times of anything that ran; counted as dropped. */
bool rocm_times(struct trace *t, int64_t start, int64_t end);
/* A new program's node; command NULL or "": named by its pid. GRAPH_NONE: the graph is full. */
uint32_t rocm_program(struct rocm_timeline *l, int64_t pid, const char *command);
/* Nodes, made when first asked for. name: of the thread, NULL unknown. */
uint32_t rocm_thread(struct rocm_timeline *l, uint32_t program, int64_t tid, const char *name);
uint32_t rocm_queue(struct rocm_timeline *l, uint32_t program, uint32_t agent, int64_t queue,
                    int64_t stream);

/* A call, or a range of markers. Counted in spans, or in dropped where the graph is full. Where it
 * is too short it is part of a sum and has no node, as those below. order:
 * among those with the same times, the outer first. correlation 0: launched nothing. node: not
 * looked at. */
void rocm_add_region(struct rocm_timeline *l, const struct rocm_region *region);
/* The new node; GRAPH_NONE: the graph is full, or it is too short. out: filled for those that
 * follow, where there is one; NULL. */
uint32_t rocm_add_kernel(struct rocm_timeline *l, const struct rocm_kernel *k,
                         struct rocm_alike *out);
uint32_t rocm_add_alike(struct rocm_timeline *l, const struct rocm_alike *a, uint64_t start,
                        uint64_t end, uint64_t correlation, uint64_t id);
uint32_t rocm_add_copy(struct rocm_timeline *l, const struct rocm_copy *c);
/* Where it runs, and what it is called, for those that are parts of sums. */
uint32_t rocm_copy_lane(struct rocm_timeline *l, const struct rocm_copy *c);
uint32_t rocm_copy_name(struct trace *t, uint32_t direction);

/* Nests the calls, links what they launched, names the queues. */
void rocm_timeline_finish(struct rocm_timeline *l);

#endif
