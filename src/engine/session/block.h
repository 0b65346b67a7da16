/*
 * A block: a run of frames that can be read alone. It holds the host, then for each frame the
 * difference from the frame before. A ring drops whole blocks; a session file stores whole blocks.
 */
#ifndef ROOFTOP_ENGINE_SESSION_BLOCK_H
#define ROOFTOP_ENGINE_SESSION_BLOCK_H

#include "engine/session/frame.h"
#include "engine/session/recording.h"
#include "engine/value/bytes.h"

enum {
    BLOCK_FRAMES = 128,      /* most frames in a block */
    BLOCK_BYTES = 128 << 10, /* a block that is larger than this before packing is closed */
    BLOCK_UNPACKED_MAX = 64 << 20,
};

/* What is known about a block without unpacking it. */
struct block_index {
    size_t n;
    uint64_t time_ns[BLOCK_FRAMES];
    uint8_t level[BLOCK_FRAMES]; /* busy share of all CPUs in %; 255 = not measured */
};
uint8_t block_level(const struct snapshot *s);

struct block_writer {
    struct frame_writer *frames; /* NULL before the first frame */
    struct bytes raw;            /* the bytes of the block so far */
    const struct host *host;     /* host of its frames */
    struct block_index index;
};
/* Adds s. Returns false if the block is full or s does not fit; then close the block, begin the
 * next and add s again. */
bool block_add(struct block_writer *w, const struct snapshot *s);
void block_end(struct block_writer *w); /* empties w for the next block */

/* Packs raw bytes with zlib, or unpacks them; *out is overwritten. Unpacking returns 0, or -EINVAL
 * if the bytes are no packed block. */
void block_pack(struct bytes *out, const struct bytes *raw);
int block_unpack(struct bytes *out, const void *packed, size_t n);

/*
 * Reads frames [from, to) of an unpacked block. Returns 1 if visit stopped it, 0 at the end,
 * -EINVAL if the bytes are damaged.
 */
int block_scan(const struct bytes *raw, size_t from, size_t to, unsigned parts,
               bool (*visit)(void *ctx, const struct snapshot *s), void *ctx);

#endif
