#include "engine/trace/trace_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

enum { TEXT = 256 << 10, REPORT = 4 << 20 };

/* Reads bytes of the file into the buffer. */
static bool read_trace_json_chunk(struct trace_json *in)
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

static bool unpack_chunk(struct trace_json *in)
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
    struct trace_json *in = source;
    if (text->before >= in->next_report) {
        in->next_report += REPORT;
        text->rc = trace_progress(in->trace, text->path, in->taken, in->stream.size, in->err);
        if (text->rc != 0)
            return false;
    }
    return in->gzip ? unpack_chunk(in) : read_trace_json_chunk(in);
}

int trace_json_open(struct trace_json *in, const char *path, struct trace *t, struct error *err)
{
    *in = (struct trace_json){.trace = t, .err = err, .next_report = REPORT};
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

void trace_json_close(struct trace_json *in)
{
    unpack_free(in->unpack);
    trace_stream_close(&in->stream);
    free(in->own);
    *in = (struct trace_json){.stream = {.fd = -1}};
}
