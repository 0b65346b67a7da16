#include "backends/chrome/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"

enum { TEXT = 256 << 10, REPORT = 4 << 20, GZIP_WINDOW = 15 + 16 };

int chrome_input_open(struct chrome_input *in, const char *path, struct trace *t, struct error *err)
{
    *in = (struct chrome_input){.trace = t, .path = path, .err = err, .next_report = REPORT};
    in->rc = trace_stream_open(&in->stream, path, t, err);
    if (in->rc != 0)
        return in->rc;
    in->gzip = unpack_wanted(&in->stream);
    if (in->gzip) {
        in->unpack = unpack_start(&in->stream, path, err);
        return in->unpack ? 0 : (in->rc = -ENOMEM);
    }
    in->p = in->end = in->text = in->own = xcalloc(1, TEXT);
    return 0;
}

/* Reads bytes of the file. Returns how many; 0 at the end, below 0 with rc. */
static ssize_t read_bytes(struct chrome_input *in, void *to, size_t size)
{
    ssize_t n = trace_stream_read(&in->stream, to, size, in->path, in->err);
    in->rc = n < 0 ? (int)n : 0;
    in->taken = in->stream.taken;
    return n;
}

static bool unpack_chunk(struct chrome_input *in)
{
    size_t n = 0;
    int rc = unpack_next(in->unpack, &in->text, &n, &in->taken, in->err);
    in->rc = rc < 0 ? rc : 0;
    in->ended = rc <= 0;
    in->cut = rc == 0 && unpack_was_cut(in->unpack);
    in->p = in->text;
    in->end = in->text ? in->text + n : NULL;
    return rc > 0;
}

/* Counts the lines that leave the buffer, because positions are asked for much later. */
static void leave_behind(struct chrome_input *in)
{
    const char *from = in->text, *last = NULL;
    for (const char *at; from && (at = memchr(from, '\n', (size_t)(in->end - from)));
         from = at + 1) {
        in->lines++;
        last = at;
    }
    if (last)
        in->line_start = in->before + (uint64_t)(last + 1 - in->text);
    in->before += (uint64_t)(in->end - in->text);
}

bool chrome_input_more(struct chrome_input *in)
{
    if (in->rc != 0)
        return false;
    leave_behind(in);
    in->p = in->end = in->text;
    if (in->before >= in->next_report) {
        in->next_report += REPORT;
        in->rc = trace_progress(in->trace, in->path, in->taken, in->stream.size, in->err);
        if (in->rc != 0)
            return false;
    }
    if (in->gzip)
        return !in->ended && unpack_chunk(in);
    ssize_t n = in->ended ? 0 : read_bytes(in, in->text, TEXT);
    in->ended = n <= 0;
    in->end = in->text + (n > 0 ? n : 0);
    return n > 0;
}

void chrome_input_position(const struct chrome_input *in, uint64_t *line, uint64_t *column)
{
    uint64_t start = in->line_start;
    *line = in->lines + 1;
    for (const char *at = in->text; at < in->p; at++)
        if (*at == '\n') {
            ++*line;
            start = in->before + (uint64_t)(at + 1 - in->text);
        }
    *column = in->before + (uint64_t)(in->p - in->text) - start + 1;
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
