/* The captured regions as blocks, which are restored and compared in parallel. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/capture/capture.h"

struct replay_block {
    uint32_t region, index; /* index: of the block in its region */
    uint64_t offset;        /* in the region */
    size_t size;
};

/*
 * The blocks of the regions for which wanted(ctx, i) is true (wanted NULL: of all regions). The
 * caller frees the result, which has *n entries.
 */
struct replay_block *replay_blocks(const struct capture *c,
                                   int (*wanted)(const void *ctx, size_t region), const void *ctx,
                                   size_t *n);
