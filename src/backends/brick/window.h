/* The last complete pass of a program: what bricks.window shows, with its critical path. */
#ifndef ROOFTOP_BACKENDS_BRICK_WINDOW_H
#define ROOFTOP_BACKENDS_BRICK_WINDOW_H

#include "backends/brick/reader.h"
#include "base/arena.h"
#include "engine/bricks/bricks.h"

/*
 * Finds the newest outermost span that has ended and whose contents are all still known; false
 * where there is none. Times in ns of CLOCK_MONOTONIC.
 */
struct brick_pass {
    uint64_t start, end;
    uint32_t node; /* node of the reader; BRICK_NONE: a sequence of outermost spans */
};
bool brick_pass_find(const struct brick_reader *r, struct brick_pass *out);

/* base: the program's node in the graph of sums. Texts and arrays go into memory. */
void brick_window_fill(struct brick_window *out, struct arena *memory, const struct brick_reader *r,
                       const struct brick_pass *pass, const char *program, int64_t pid,
                       uint32_t base);

#endif
