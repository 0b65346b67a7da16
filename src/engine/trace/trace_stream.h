/*
 * Reads a file or a pipe once, from its beginning, for formats that need no random access. Waits
 * for a silent pipe until the watch says stop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { TRACE_STREAM_HEAD = 16 << 10 };

struct trace_stream { /* zeroed except for fd -1: closed */
    int fd;
    bool pipe;            /* a pipe or device: without a size, readable only once */
    uint64_t size, taken; /* a file's bytes, and the bytes read so far */
    const bool *stop;     /* another thread sets it to end reading; may be NULL */
    unsigned char *head;  /* the first bytes, peeked at before; or NULL */
    size_t nhead, at;
};

struct trace;
/* Takes the pipe that trace_open has opened, or opens the file. 0 or -errno with err; close it in
 * either case. */
int trace_stream_open(struct trace_stream *s, const char *path, struct trace *t, struct error *err);
/* Reads up to size bytes. Returns their number, 0 at the end, or -errno (also -ECANCELED) with err.
 */
ssize_t trace_stream_read(struct trace_stream *s, void *to, size_t size, const char *path,
                          struct error *err);
void trace_stream_close(struct trace_stream *s);

/* Whether the path can only be read as a stream. */
bool trace_is_pipe(const char *path);
/* Opens a file or pipe, and keeps its first TRACE_STREAM_HEAD bytes, or all if there are fewer:
 * they are read again. Waits for a pipe. */
int trace_stream_peek(struct trace_stream *s, const char *path, struct error *err);
/* Keeps up to size more bytes of a stream that was only peeked at. 1; 0 at the end; or -errno with
 * err. */
int trace_stream_peek_more(struct trace_stream *s, size_t size, const char *path,
                           struct error *err);
