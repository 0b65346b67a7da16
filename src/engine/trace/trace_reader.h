/* Finds the reader for a file or pipe by its content. */
#pragma once

#include "engine/trace/trace.h"
#include "engine/trace/trace_stream.h"

/*
 * Opens a file or pipe and finds its reader; NULL with err if there is none. What was looked at is
 * kept in the stream, which the reader may be given (of a pipe it must be). Close it in either
 * case.
 */
const struct reader_ops *trace_reader_of(struct trace_stream *in, const char *path,
                                         struct error *err);
