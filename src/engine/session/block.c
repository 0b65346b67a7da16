#include "engine/session/session_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"

uint8_t block_level(const struct snapshot *s)
{
    double v = s->total.busy.v;
    if (s->total.busy.validity != VALUE_OK || !(v >= 0))
        return 255;
    return v > 100 ? 100 : (uint8_t)lround(v);
}

/* Snapshots of a running dashboard share one host; those from files or tests may each have their
 * own. */
static bool same_host(const struct host *a, const struct host *b)
{
    return a == b || (a && b && frame_same_host(a, b));
}

bool block_add(struct block_writer *w, const struct snapshot *s)
{
    struct block_index *x = &w->index;
    if (!w->frames) {
        w->frames = frame_writer_new();
        w->host = s->host ? host_ref(s->host) : NULL;
        bytes_put_byte(&w->raw, FRAME_VERSION);
        frame_write_host(&w->raw, s->host);
    } else if (x->n == BLOCK_FRAMES || w->raw.n >= BLOCK_BYTES || !same_host(s->host, w->host) ||
               s->time_ns < x->time_ns[x->n - 1]) {
        return false;
    }
    frame_write(w->frames, &w->raw, s);
    x->time_ns[x->n] = s->time_ns;
    x->level[x->n++] = block_level(s);
    return true;
}

void block_end(struct block_writer *w)
{
    frame_writer_free(w->frames);
    host_unref(w->host);
    free(w->raw.p);
    *w = (struct block_writer){0};
}

/* A packed block: the length before packing (little endian), then zlib's stream. */
void block_pack(struct bytes *out, const struct bytes *raw)
{
    uLongf n = compressBound(raw->n);
    uint8_t *p = xcalloc(n + 4, 1);
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(raw->n >> (8 * i));
    compress2(p + 4, &n, raw->p, raw->n, 6);
    free(out->p);
    *out = (struct bytes){.p = xrealloc(p, n + 4, 1), .n = n + 4, .cap = n + 4};
}

int block_unpack(struct bytes *out, const void *packed, size_t n)
{
    const uint8_t *p = packed;
    out->n = 0;
    if (n < 4)
        return -EINVAL;
    uLongf size = (uLongf)p[0] | (uLongf)p[1] << 8 | (uLongf)p[2] << 16 | (uLongf)p[3] << 24;
    /* zlib's best ratio is about a thousand to one: a larger size is a lie */
    if (size > BLOCK_UNPACKED_MAX || size > 1100 * (uLongf)n)
        return -EINVAL;
    if (size > out->cap) {
        out->p = xrealloc(out->p, size, 1);
        out->cap = size;
    }
    uLongf got = size;
    if (size == 0 || uncompress(out->p, &got, p + 4, n - 4) != Z_OK || got != size)
        return -EINVAL;
    out->n = size;
    return 0;
}

int block_scan(const struct bytes *raw, size_t from, size_t to, unsigned parts,
               bool (*visit)(void *ctx, const struct snapshot *s), void *ctx)
{
    struct byte_reader in = {raw->p, raw->p + raw->n, false};
    uint8_t version = bytes_get_byte(&in);
    if (version < 1 || version > FRAME_VERSION)
        return -EINVAL;
    struct host *host = frame_read_host(&in);
    if (!host)
        return -EINVAL;
    struct frame_reader *r = frame_reader_new(host, parts, version);
    int rc = 0;
    host_unref(host);
    for (size_t i = 0; i < to && rc == 0; i++) {
        const struct snapshot *s = frame_read(r, &in);
        if (!s)
            rc = -EINVAL;
        else if (i >= from && !visit(ctx, s))
            rc = 1;
        snapshot_unref(s);
    }
    frame_reader_unref(r);
    return rc;
}
