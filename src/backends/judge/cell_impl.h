/* The parent's side of a cell's memory. */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_IMPL_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_IMPL_H

#include "backends/judge/cell_count.h"
#include "backends/judge/cell_memory.h"

struct cell_memory {
    struct harness harness;
    struct cell_layout layout;
    size_t places;
    int fd;
    void *base;
    uint64_t cpu_ns; /* of processes that have ended */
    bool no_counter; /* it was tried once: nothing is counted here */
    char not_counted[COUNT_WHY];
    bool *has_margins; /* of each place: they were set, and nobody was seen to write there */
};

static inline struct cell_talk *cell_talk_of(const struct cell_memory *m)
{
    return m->base;
}

/* Puts the buffers of calls out of the caches of all CPUs: they are the same lines in both
 * processes. */
void cell_cool(const struct cell_memory *m, const struct cell_calls *calls);

#endif
