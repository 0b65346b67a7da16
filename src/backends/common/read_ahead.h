/*
 * A file that is read from front to back, by a thread of its own: what comes next is there when it
 * is asked for. Whoever jumps reads by himself, until what he asks for lies in a row again.
 */
#ifndef ROOFTOP_BACKENDS_COMMON_READ_AHEAD_H
#define ROOFTOP_BACKENDS_COMMON_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

enum { READ_AHEAD_CHUNK = 65536, READ_AHEAD_SPARE = 8 /* bytes behind a chunk, of any value */ };
struct read_ahead;

/* Begins to read the first size bytes of fd on a thread. The caller still closes fd, afterwards. */
struct read_ahead *read_ahead_new(int fd, uint64_t size);
void read_ahead_free(struct read_ahead *a); /* NULL allowed */
/*
 * The chunk from number * READ_AHEAD_CHUNK on: that many bytes, fewer where size ends in it. Valid
 * until the next call. NULL: it could not be read whole. One thread asks.
 */
const unsigned char *read_ahead_get(struct read_ahead *a, uint64_t number);

#endif
