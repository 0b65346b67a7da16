#include "engine/session/ring.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/arena.h"
#include "engine/session/session_impl.h"

struct ring {
    struct blocks blocks; /* must be the first member: a ring is a recording */
    size_t limit, packed; /* bytes; packed: of the closed blocks with their descriptions */
    struct bytes *data;   /* data[i] is the packed block info[i] */
    size_t cap;
    int64_t next_id;
    struct block_writer open; /* the last block; its info is replaced at each frame */
    bool listed;              /* whether info has the open block already */
};

static int load_block(struct blocks *b, size_t i, struct bytes *raw, struct error *err)
{
    struct ring *r = (struct ring *)b;
    if (r->listed && i == b->n - 1) {
        raw->n = 0;
        bytes_put(raw, r->open.raw.p, r->open.raw.n);
        return 0;
    }
    if (block_unpack(raw, r->data[i].p, r->data[i].n) != 0)
        return error_set(err, ERROR_INTERNAL, EINVAL, NULL, "read the past", "it is damaged");
    return 0;
}

static size_t count_block_bytes(const struct bytes *packed)
{
    return packed->cap + sizeof *packed + sizeof(struct block_info) + sizeof(struct block_index);
}

size_t ring_bytes(struct recording *recording)
{
    struct ring *r = (struct ring *)recording;
    size_t cached = 0; /* blocks that were unpacked to look back */
    for (size_t i = 0; i < BLOCKS_CACHED; i++)
        cached += r->blocks.cache[i].raw.cap;
    return r->packed + cached + r->open.raw.cap + sizeof *r;
}

static void forget_first(struct ring *r)
{
    r->packed -= count_block_bytes(&r->data[0]);
    free(r->data[0].p);
    memmove(r->data, r->data + 1, (r->blocks.n - 1) * sizeof *r->data);
    blocks_forget_first(&r->blocks);
}

/* Packs the open block and makes the writer empty for the next. */
static void close_ring_block(struct ring *r)
{
    struct bytes packed = {0};
    block_pack(&packed, &r->open.raw);
    r->data[r->blocks.n - 1] = packed;
    r->packed += count_block_bytes(&packed);
    block_end(&r->open);
    r->listed = false;
}

static void list_open(struct ring *r)
{
    struct blocks *b = &r->blocks;
    if (r->listed) {
        *b->info[b->n - 1].index = r->open.index;
        blocks_drop_cached(b, b->info[b->n - 1].id);
        return;
    }
    blocks_append(b, &r->open.index, r->next_id++);
    LIST_FIT(r->data, b->n, r->cap);
    r->data[b->n - 1] = (struct bytes){0};
    r->listed = true;
}

void ring_push(struct recording *recording, const struct snapshot *s)
{
    struct ring *r = (struct ring *)recording;
    if (!block_add(&r->open, s)) {
        close_ring_block(r);
        block_add(&r->open, s);
    }
    list_open(r);
    while (r->blocks.n > 1 && ring_bytes(recording) > r->limit)
        forget_first(r);
}

void ring_clear(struct recording *recording)
{
    struct ring *r = (struct ring *)recording;
    while (r->blocks.n) {
        free(r->data[r->blocks.n - 1].p);
        blocks_drop_cached(&r->blocks, r->blocks.info[r->blocks.n - 1].id);
        free(r->blocks.info[--r->blocks.n].index);
    }
    block_end(&r->open);
    r->blocks.forgotten = 0;
    r->packed = 0;
    r->listed = false;
}

static void ring_free(struct recording *recording)
{
    struct ring *r = (struct ring *)recording;
    ring_clear(recording);
    blocks_release(&r->blocks);
    free(r->data);
    free(r);
}

static const struct recording_ops ring_ops = {.count = blocks_count,
                                              .time_ns = blocks_time,
                                              .level = blocks_level,
                                              .scan = blocks_scan,
                                              .free = ring_free};

struct recording *ring_new(size_t limit)
{
    struct ring *r = xcalloc(1, sizeof *r);
    r->limit = limit;
    r->blocks.recording.ops = &ring_ops;
    r->blocks.load = load_block;
    return &r->blocks.recording;
}
