// A kernel of one code object, run to its end at one level of optimisation; what does not complete
// fails the test.
#pragma once

#include "support/gpu.h"

enum { LEVELS = 3, MOST_SECONDS = 30 };

struct launch {
    const char *file, *name;
    int level;
    struct extent3 grid, group;
    uint32_t dynamic_lds;
};

void run_kernel(struct gpu *gpu, const struct launch *launch, const struct arguments *a);

// One dimension: as many work-groups as items need.
static inline struct extent3 grid_of(uint32_t items, uint32_t group)
{
    return (struct extent3){(items + group - 1) / group * group, 1, 1};
}
static inline struct launch one_dimension(const char *file, const char *name, int level,
                                          uint32_t items, uint32_t group)
{
    return (struct launch){file, name, level, grid_of(items, group), {group, 1, 1}, 0};
}
