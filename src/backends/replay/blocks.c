#include "backends/replay/replay_impl.h"

#include "base/arena.h"
#include "format/capture.h"

struct replay_block *replay_blocks(const struct capture *c,
                                   int (*wanted)(const void *ctx, size_t region), const void *ctx,
                                   size_t *n)
{
    size_t most = 0;
    for (size_t i = 0; i < c->nregions; i++)
        most += (size_t)((c->regions[i].size + CAPTURE_BLOCK - 1) / CAPTURE_BLOCK);
    struct replay_block *blocks = xcalloc(most ? most : 1, sizeof *blocks);
    *n = 0;
    for (size_t i = 0; i < c->nregions; i++) {
        const uint64_t size = c->regions[i].size;
        if (wanted && !wanted(ctx, i))
            continue;
        for (uint64_t at = 0; at < size; at += CAPTURE_BLOCK)
            blocks[(*n)++] = (struct replay_block){
                (uint32_t)i, (uint32_t)(at / CAPTURE_BLOCK), at,
                (size_t)(size - at < CAPTURE_BLOCK ? size - at : CAPTURE_BLOCK)};
    }
    return blocks;
}
