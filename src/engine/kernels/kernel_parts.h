/* The finest sums of a profile's device work: by name, shape and resources. Rows of the table of
 * kernels are made of them (kernels.c). */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNEL_PARTS_H
#define ROOFTOP_ENGINE_KERNELS_KERNEL_PARTS_H

#include "engine/kernels/kernels.h"

struct kernel_part {
    uint32_t name; /* of calls */
    uint8_t kind;  /* enum node_kind */
    struct kernel_shape shape;
    struct kernel_sum sum;
    uint32_t node;    /* the longest; of several the first in time */
    uint32_t counted; /* index into counting; UINT32_MAX = no counters */
};

struct kernel_parts {
    struct kernel_part *list;
    uint32_t n, cap;
    uint16_t *low;  /* 1 + part of every node of calls, 0 = no device work: kernel_part_at */
    uint16_t *high; /* its upper half; NULL: all fit */
    struct kernel_counting *counting;
    uint32_t ncounting;
    uint32_t *slots; /* hash */
    uint32_t nslots;
};

/* All but what lies on the path, and slack: these are added by the second. *out: zeroed. Where
 * nobody wants it any more (base/watch.h) it is not whole. */
void kernel_parts_make(struct kernel_parts *out, const struct trace *t);
void kernel_parts_on_path(struct kernel_parts *p, const struct graph *calls,
                          const struct critical_path *path);
void kernel_parts_free(struct kernel_parts *p);
/* Lengthens to by from; both of one kind. */
void kernel_sum_merge(struct kernel_sum *to, const struct kernel_sum *from);
/* By what is in them, whatever their order in the file. */
int kernel_shape_order(const struct kernel_shape *a, const struct kernel_shape *b);

/* Index into list; GRAPH_NONE = no device work. */
static inline uint32_t kernel_part_at(const struct kernel_parts *p, uint32_t node)
{
    return (p->low[node] | (p->high ? (uint32_t)p->high[node] << 16 : 0)) - 1;
}

/* Whether the one took longer; those without a time took least, of equal ones the first counts. */
bool kernel_longer(const struct graph *calls, uint32_t node, uint32_t than);
/* What ran when: fills the times of total. */
void kernel_busy(struct kernels_total *total, const struct trace *t);

/* Of communication: fills its sums, and exposed of total. Nothing where there is none. */
void kernel_collectives(struct kernel_parts *p, struct kernels_total *total, const struct trace *t);

/* kernel_facts.c */
void kernel_facts_of(struct facts *out, const struct kernel_row *r, const struct trace_agent *agent,
                     const struct kernel_peaks *peaks);
void kernel_facts_of_profile(struct facts *out, const struct kernels_total *t);

#endif
