/* Sums over a profile's device work, one for each combination of name, launch shape and resources
 * (a part). The rows of the table of kernels are made from the parts (kernels.c). */
#pragma once

#include "base/hash_table.h"
#include "engine/kernels/kernels.h"

struct kernel_part {
    uint32_t name; /* name's number in graph calls */
    uint8_t kind;  /* enum node_kind */
    struct kernel_shape shape;
    struct kernel_sum sum;
    uint32_t node;    /* the longest call; of equal ones the earliest */
    uint32_t counted; /* index into counting; UINT32_MAX = no counters */
};

struct kernel_parts {
    struct kernel_part *list;
    uint32_t n, cap;
    uint16_t *low;  /* for each node of calls 1 + its part, 0 = no device work, read by
                       kernel_part_at: the lower 16 bits */
    uint16_t *high; /* the upper 16 bits; NULL: all are 0 */
    struct kernel_counting *counting;
    uint32_t ncounting, counting_cap;
    struct hash_table by_content;
};

/* Computes all sums except the time on the critical path and slack, which kernel_parts_on_path
 * adds. *out must be zeroed. If the caller's watch (base/watch.h) is cancelled, the result is
 * incomplete. */
void kernel_parts_make(struct kernel_parts *out, const struct trace *t);
void kernel_parts_on_path(struct kernel_parts *p, const struct graph *calls,
                          const struct critical_path *path);
void kernel_parts_free(struct kernel_parts *p);
/* Adds the sums of `from`, which must be of the same kind, to `to`. */
void kernel_sum_merge(struct kernel_sum *to, const struct kernel_sum *from);
/* The latest time at which a launch by this call can have ended; at most start, when its work
 * began. Any later waiting is not part of the launch. */
uint64_t kernel_launch_ends(const struct graph *g, uint32_t call, uint64_t start);
/* Orders shapes by content, independent of the order in the file. */
int kernel_shape_order(const struct kernel_shape *a, const struct kernel_shape *b);

/* The index of the node's part in list; GRAPH_NONE if the node is no device work. */
static inline uint32_t kernel_part_at(const struct kernel_parts *p, uint32_t node)
{
    return (p->low[node] | (p->high ? (uint32_t)p->high[node] << 16 : 0)) - 1;
}

/* Whether `node` took longer than `than`. A call without a time is the shortest; of equal calls
 * the earlier one counts as longer. */
bool kernel_longer(const struct graph *calls, uint32_t node, uint32_t than);
/* Whether a node is device work with known times, in the considered part or outside of it. */
bool kernel_is_timed(const struct graph *g, uint32_t v);

/* The time covered by spans that come in order of start. */
struct time_cover {
    uint64_t sum, last;
};
static inline void cover_add(struct time_cover *c, uint64_t from, uint64_t to)
{
    from = from > c->last ? from : c->last;
    if (to > from) {
        c->sum += to - from;
        c->last = to;
    }
}

/* Computes how long each kind of work ran, alone and at the same time as others, into total. */
void kernel_busy(struct kernels_total *total, const struct trace *t);

/* Fills the sums of collectives, and total->exposed. Does nothing if the profile has no
 * collectives. */
void kernel_collectives(struct kernel_parts *p, struct kernels_total *total, const struct trace *t);

void kernel_facts_of(struct facts *out, const struct kernel_row *r, const struct trace_agent *agent,
                     const struct kernel_peaks *peaks);
void kernel_facts_of_profile(struct facts *out, const struct kernels_total *t);
