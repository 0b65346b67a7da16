/*
 * Reads a file from front to back on a thread of its own, so that the next chunk is ready when it
 * is requested. After a jump the caller's thread reads by itself, until its requests are sequential
 * again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { READ_AHEAD_CHUNK = 65536, READ_AHEAD_SPARE = 8 /* bytes after a chunk, of any value */ };
struct read_ahead;

/*
 * Starts reading the first size bytes of fd on a thread. The caller closes fd, after
 * read_ahead_free.
 */
struct read_ahead *read_ahead_new(int fd, uint64_t size);
void read_ahead_free(struct read_ahead *a); /* NULL is allowed */
/*
 * Returns the chunk that begins at number * READ_AHEAD_CHUNK: that many bytes, fewer at the end of
 * the file. Valid until the next call. NULL: it could not be read completely. Only one thread may
 * call this.
 */
const unsigned char *read_ahead_get(struct read_ahead *a, uint64_t number);
