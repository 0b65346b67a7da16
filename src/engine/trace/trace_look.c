#include "engine/trace/trace_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/trace/unpack.h"
#include "json/look.h"

enum { RAW = 64 << 10, GZIP_WINDOW = 15 + 16 };

/* Gives the next bytes of the file to the unpacker. 1; 0 at the end; or -errno. */
static int feed_packed(struct trace_look *l, struct error *err)
{
    struct trace_stream *in = l->in;
    int rc = l->used < in->nhead ? 1 : trace_stream_peek_more(in, RAW, l->path, err);
    l->z.next_in = in->head + l->used;
    l->z.avail_in = rc > 0 ? (unsigned)(in->nhead - l->used) : 0;
    return rc;
}

/* Unpacks until size bytes of text are available. 0 or -errno. */
static int unpack_to(struct trace_look *l, size_t size, struct error *err)
{
    int rc = 1;
    l->own = xrealloc(l->own, size, 1);
    while (l->unpacking && l->n < size && (rc = feed_packed(l, err)) > 0) {
        l->z.next_out = l->own + l->n;
        l->z.avail_out = (unsigned)(size - l->n);
        int done = inflate(&l->z, Z_NO_FLUSH);
        l->n = size - l->z.avail_out;
        l->used = l->in->nhead - l->z.avail_in;
        bool next = done == Z_STREAM_END && l->z.avail_in > 0 && *l->z.next_in == 0x1f;
        if (next)
            inflateReset(&l->z);
        l->damaged = done != Z_OK && done != Z_STREAM_END && done != Z_BUF_ERROR;
        l->unpacking = next || (!l->damaged && done != Z_STREAM_END);
    }
    l->text = l->own;
    return rc < 0 ? rc : 0;
}

/* Makes size bytes of the text available, or all of it. 0 or -errno. */
static int look_at_trace_text(struct trace_look *l, size_t size, struct error *err)
{
    int rc = 0;
    if (l->packed)
        return unpack_to(l, size, err);
    if (l->in->nhead < size)
        rc = trace_stream_peek_more(l->in, size - l->in->nhead, l->path, err);
    l->text = l->in->head;
    l->n = l->in->nhead;
    return rc < 0 ? rc : 0;
}

int trace_look_open(struct trace_look *l, struct trace_stream *in, const char *path,
                    struct error *err)
{
    *l = (struct trace_look){.in = in, .path = path};
    int rc = trace_stream_peek(in, path, err);
    if (rc != 0)
        return rc;
    l->packed = unpack_is_gzip(in->head, in->nhead);
    l->unpacking = l->packed && inflateInit2(&l->z, GZIP_WINDOW) == Z_OK;
    return look_at_trace_text(l, TRACE_STREAM_HEAD, err);
}

/* Names in stacks of samples may be longer than what is looked at. */
bool trace_look_needs_more(const struct trace_look *l)
{
    return json_look_begins((const char *)l->text, l->n) ||
           (l->n > 0 && !memchr(l->text, '\n', l->n) && !memchr(l->text, '\0', l->n));
}

int trace_look_more(struct trace_look *l, struct error *err)
{
    const size_t before = l->n;
    if (before >= TRACE_LOOK_MOST || before == 0)
        return 0;
    int rc = look_at_trace_text(l, 2 * before, err);
    return rc != 0 ? rc : l->n > before;
}

void trace_look_close(struct trace_look *l)
{
    if (l->packed)
        inflateEnd(&l->z);
    free(l->own);
    *l = (struct trace_look){.n = 0};
}
