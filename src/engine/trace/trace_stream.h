/*
 * The bytes of a file or a pipe, once, from the begin: what formats are read through that need not
 * jump about. A pipe that says nothing is waited for, and left when nobody wants it any more.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_STREAM_H
#define ROOFTOP_ENGINE_TRACE_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { TRACE_STREAM_HEAD = 16 << 10 };

struct trace_stream { /* zeroed but for fd -1: closed */
    int fd;
    bool pipe;            /* or a device: it has no size, and is there once */
    uint64_t size, taken; /* of a file: its bytes; those read so far */
    const bool *stop;     /* set by another thread: no more is wanted; NULL */
    unsigned char *head;  /* of a pipe, what was looked at before it is read; NULL */
    size_t nhead, at;
};

struct trace;
/* The stream of trace_open's file, or the file itself. 0 or -errno with err; close it after either.
 */
int trace_stream_open(struct trace_stream *s, const char *path, struct trace *t, struct error *err);
/* Up to size bytes; 0: the end; -errno with err, -ECANCELED among them. */
ssize_t trace_stream_read(struct trace_stream *s, void *to, size_t size, const char *path,
                          struct error *err);
void trace_stream_close(struct trace_stream *s);

/* Whether the path is what is read as a stream only. */
bool trace_is_pipe(const char *path);
/* Opens one, and waits for its first bytes: TRACE_STREAM_HEAD, or all. */
int trace_stream_peek(struct trace_stream *s, const char *path, struct error *err);

#endif
