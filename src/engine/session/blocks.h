/*
 * A recording made of blocks: finds frames by number and time and scans across blocks. Ring and
 * session have it as their first member and supply the blocks.
 */
#ifndef ROOFTOP_ENGINE_SESSION_BLOCKS_H
#define ROOFTOP_ENGINE_SESSION_BLOCKS_H

#include "engine/session/block.h"

struct block_info {
    size_t first; /* number of its first frame; frames are counted from the first that was ever
                     added */
    struct block_index *index; /* owned */
    int64_t id;                /* what load needs to find the block */
};

enum { BLOCKS_CACHED = 12 };

struct blocks {
    struct recording recording;
    struct block_info *info;
    size_t n, cap;
    size_t forgotten; /* number of frames that were dropped before info[0] */
    /* Unpacks block info[i] into raw. */
    int (*load)(struct blocks *b, size_t i, struct bytes *raw, struct error *err);
    struct block_cache {
        int64_t id;
        uint64_t used; /* when it was used last, to drop the least recently used */
        struct bytes raw;
    } cache[BLOCKS_CACHED];
    uint64_t clock;
};

/* copies index */
void blocks_append(struct blocks *b, const struct block_index *index, int64_t id);
void blocks_forget_first(struct blocks *b);
void blocks_drop_cached(struct blocks *b, int64_t id);
void blocks_release(struct blocks *b); /* frees everything in b, but not b */

size_t blocks_count(struct recording *r);
uint64_t blocks_time(struct recording *r, size_t i);
uint8_t blocks_level(struct recording *r, size_t i);
int blocks_scan(struct recording *r, size_t from, size_t to, unsigned parts,
                bool (*visit)(void *ctx, const struct snapshot *s), void *ctx, struct error *err);

#endif
