/* Unpacks a gzip file (one member or several) in a thread of its own, while the caller reads the
 * text before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace_stream.h"

struct unpack;

/* Whether these first bytes are of gzip; and the same for a stream that was not read yet. */
bool unpack_is_gzip(const unsigned char *head, size_t n);
bool unpack_wanted(const struct trace_stream *in);
/* in and path (for errors) must outlive the result. NULL with err. */
struct unpack *unpack_start(struct trace_stream *in, const char *path, struct error *err);
void unpack_free(struct unpack *u); /* NULL allowed */
/* The next piece, valid until the next call; taken: bytes of the file that were needed for it. 1,
 * 0 at the end, or -errno with err. */
int unpack_next(struct unpack *u, char **text, size_t *n, uint64_t *taken, struct error *err);
/* Call it at the end: whether the file ended before its stream did. */
bool unpack_was_cut(const struct unpack *u);
