/* The parent's side of a cell's memory. */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_IMPL_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_IMPL_H

#include "backends/judge/cell_memory.h"

struct cell_memory {
    struct harness harness;
    struct cell_layout layout;
    size_t places;
    int fd;
    void *base;
};

static inline struct cell_talk *cell_talk_of(const struct cell_memory *m)
{
    return m->base;
}

#endif
