#include "backends/chrome/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"

enum { TEXT = 256 << 10, REPORT = 4 << 20, GZIP_WINDOW = 15 + 16 };

/* Reads bytes of the file into the buffer. */
static bool read_chunk(struct chrome_input *in)
{
    struct json_input *text = &in->text;
    ssize_t n = 0;
    if (!in->ended)
        n = trace_stream_read(&in->stream, in->own, TEXT, text->path, in->err);
    text->rc = n < 0 ? (int)n : 0;
    in->taken = in->stream.taken;
    in->ended = n <= 0;
    text->end = text->text + (n > 0 ? n : 0);
    return n > 0;
}

static bool unpack_chunk(struct chrome_input *in)
{
    struct json_input *text = &in->text;
    size_t n = 0;
    if (in->ended)
        return false;
    int rc = unpack_next(in->unpack, &in->buffer, &n, &in->taken, in->err);
    text->rc = rc < 0 ? rc : 0;
    in->ended = rc <= 0;
    in->cut = rc == 0 && unpack_was_cut(in->unpack);
    text->p = text->text = in->buffer;
    text->end = in->buffer ? in->buffer + n : NULL;
    return rc > 0;
}

static bool refill(struct json_input *text, void *source)
{
    struct chrome_input *in = source;
    if (text->before >= in->next_report) {
        in->next_report += REPORT;
        text->rc = trace_progress(in->trace, text->path, in->taken, in->stream.size, in->err);
        if (text->rc != 0)
            return false;
    }
    return in->gzip ? unpack_chunk(in) : read_chunk(in);
}

int chrome_input_open(struct chrome_input *in, const char *path, struct trace *t, struct error *err)
{
    *in = (struct chrome_input){.trace = t, .err = err, .next_report = REPORT};
    in->text = (struct json_input){.path = path, .refill = refill, .source = in};
    int rc = in->text.rc = trace_stream_open(&in->stream, path, t, err);
    if (rc != 0)
        return rc;
    in->gzip = unpack_wanted(&in->stream);
    if (in->gzip) {
        in->unpack = unpack_start(&in->stream, path, err);
        return in->unpack ? 0 : (in->text.rc = -ENOMEM);
    }
    in->own = xcalloc(1, TEXT);
    in->text.p = in->text.end = in->text.text = in->own;
    return 0;
}

size_t chrome_input_head(const unsigned char *head, size_t n, char *out, size_t size)
{
    z_stream z = {.next_in = (unsigned char *)head, .avail_in = (unsigned)n};
    if (!unpack_is_gzip(head, n)) {
        size_t most = n < size ? n : size;
        memcpy(out, head, most);
        return most;
    }
    if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return 0;
    z.next_out = (unsigned char *)out;
    z.avail_out = (unsigned)size;
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return size - z.avail_out;
}

void chrome_input_close(struct chrome_input *in)
{
    unpack_free(in->unpack);
    trace_stream_close(&in->stream);
    free(in->own);
    *in = (struct chrome_input){.stream = {.fd = -1}};
}
