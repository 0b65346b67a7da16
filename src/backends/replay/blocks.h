/* The captured regions as blocks, which are restored and compared side by side. */
#ifndef ROOFTOP_BACKENDS_REPLAY_BLOCKS_H
#define ROOFTOP_BACKENDS_REPLAY_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/capture/capture.h"

struct replay_block {
    uint32_t region, index; /* of the region's blocks */
    uint64_t offset;        /* in the region */
    size_t size;
};

/* Region i is wanted where wanted(ctx, i), NULL: all of them. *n of them; free it. */
struct replay_block *replay_blocks(const struct capture *c,
                                   int (*wanted)(const void *ctx, size_t region), const void *ctx,
                                   size_t *n);

#endif
