/* Finds the reader for a file or pipe by its content. */
#pragma once

#include "engine/trace/trace.h"
#include "engine/trace/trace_stream.h"

/*
 * Opens a file or pipe and finds its reader; NULL with err if there is none. The examined bytes are
 * kept in the stream, which may be passed to the reader (for a pipe it must be). Close it in either
 * case.
 */
const struct reader_ops *trace_reader_of(struct trace_stream *in, const char *path,
                                         struct error *err);

/* Whether a file was refused for what it is, not because nothing is known about it. */
bool trace_reader_knows_why(const struct error *err);
