#include "engine/session/session_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"

void blocks_append(struct blocks *b, const struct block_index *index, int64_t id)
{
    LIST_ROOM(b->info, b->n, b->cap);
    size_t first = b->n ? b->info[b->n - 1].first + b->info[b->n - 1].index->n : b->forgotten;
    struct block_index *kept = xcalloc(1, sizeof *kept);
    *kept = *index;
    b->info[b->n++] = (struct block_info){.first = first, .index = kept, .id = id};
}

void blocks_forget_first(struct blocks *b)
{
    b->forgotten += b->info[0].index->n;
    blocks_drop_cached(b, b->info[0].id);
    free(b->info[0].index);
    memmove(b->info, b->info + 1, --b->n * sizeof *b->info);
}

void blocks_drop_cached(struct blocks *b, int64_t id)
{
    for (size_t i = 0; i < BLOCKS_CACHED; i++)
        if (b->cache[i].raw.n && b->cache[i].id == id)
            b->cache[i].raw.n = 0;
}

void blocks_release(struct blocks *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->info[i].index);
    free(b->info);
    for (size_t i = 0; i < BLOCKS_CACHED; i++)
        free(b->cache[i].raw.p);
}

size_t blocks_count(struct recording *r)
{
    struct blocks *b = (struct blocks *)r;
    if (b->n == 0)
        return 0;
    return b->info[b->n - 1].first + b->info[b->n - 1].index->n - b->forgotten;
}

/* The index of the block that holds frame i, which must exist. */
static size_t find_block_of_frame(const struct blocks *b, size_t i)
{
    size_t next = 1;
    SEARCH_FIRST(next, b->n, b->info[next].first <= i + b->forgotten);
    return next - 1;
}

uint64_t blocks_time(struct recording *r, size_t i)
{
    struct blocks *b = (struct blocks *)r;
    const struct block_info *k = &b->info[find_block_of_frame(b, i)];
    return k->index->time_ns[i + b->forgotten - k->first];
}

uint8_t blocks_level(struct recording *r, size_t i)
{
    struct blocks *b = (struct blocks *)r;
    const struct block_info *k = &b->info[find_block_of_frame(b, i)];
    return k->index->level[i + b->forgotten - k->first];
}

/* Unpacks block i, or takes it from the cache, which replaces the least recently used block. */
static const struct bytes *unpack_cached_block(struct blocks *b, size_t i, struct error *err)
{
    struct block_cache *slot = &b->cache[0];
    for (size_t k = 0; k < BLOCKS_CACHED; k++) {
        struct block_cache *c = &b->cache[k];
        if (c->raw.n && c->id == b->info[i].id) {
            c->used = ++b->clock;
            return &c->raw;
        }
        if (!c->raw.n || (slot->raw.n && c->used < slot->used))
            slot = c;
    }
    slot->raw.n = 0;
    if (b->load(b, i, &slot->raw, err) != 0)
        return NULL;
    slot->id = b->info[i].id;
    slot->used = ++b->clock;
    return &slot->raw;
}

int blocks_scan(struct recording *r, size_t from, size_t to, unsigned parts,
                bool (*visit)(void *ctx, const struct snapshot *s), void *ctx, struct error *err)
{
    struct blocks *b = (struct blocks *)r;
    if (from >= to || to > blocks_count(r))
        return error_set(err, ERROR_INTERNAL, ERANGE, NULL, "read a recording",
                         "there is no frame %zu", to);
    for (size_t i = find_block_of_frame(b, from); i < b->n && b->info[i].first < to + b->forgotten;
         i++) {
        size_t first = b->info[i].first, n = b->info[i].index->n;
        size_t lo = from + b->forgotten > first ? from + b->forgotten - first : 0;
        size_t hi = to + b->forgotten - first < n ? to + b->forgotten - first : n;
        const struct bytes *raw = unpack_cached_block(b, i, err);
        int rc = raw ? block_scan(raw, lo, hi, parts, visit, ctx) : -EIO;
        if (rc == 1)
            return 0;
        if (!raw)
            return rc;
        if (rc < 0)
            return error_set(err, ERROR_INPUT, EINVAL,
                             "record again; other parts can still be read", "read a recording",
                             "block %lld is damaged", (long long)b->info[i].id);
    }
    return 0;
}
