/* The beginning of a file or pipe, by which its reader is chosen; gzip is unpacked. The bytes that
 * are read from a pipe are kept in its stream for the reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

#include "engine/trace/trace_stream.h"

enum { TRACE_LOOK_MOST = 64 << 20 /* bytes of the text */ };

struct trace_look {
    struct trace_stream *in;
    const char *path;
    const unsigned char *text; /* its first bytes, n of them */
    size_t n;
    bool packed;  /* the file is gzip */
    bool damaged; /* it cannot be unpacked further */
    /* used only by trace_look.c: */
    z_stream z;
    size_t used; /* bytes of the file that were unpacked */
    unsigned char *own;
    bool unpacking;
};

/* Looks at the first TRACE_STREAM_HEAD bytes. Opens in, which outlives the look, as does path. 0 or
 * -errno with err; close both in either case. */
int trace_look_open(struct trace_look *l, struct trace_stream *in, const char *path,
                    struct error *err);
/* Whether more of the text may tell its format: it begins like JSON, or its first line is not
 * whole.
 */
bool trace_look_needs_more(const struct trace_look *l);
/* Makes twice as much text available. 1; 0: there is no more, or too much; or -errno with err. */
int trace_look_more(struct trace_look *l, struct error *err);
void trace_look_close(struct trace_look *l);
