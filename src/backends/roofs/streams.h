/* The arrays of one thread that a loop of loads and stores goes through. */
#ifndef ROOFTOP_BACKENDS_ROOFS_STREAMS_H
#define ROOFTOP_BACKENDS_ROOFS_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "backends/roofs/loops.h"
#include "backends/roofs/roof_memory.h"

/* The memory of one thread, which its loops use one after the other: to have the kernel clear a
 * gigabyte for each takes longer than to measure. All loops leave zeros in it. */
struct stream_room {
    char *memory;
    size_t bytes;
};
struct stream_part {
    const struct stream_loop *loop;
    char *memory; /* of a room; NULL: there was none */
    size_t array; /* bytes of each array, a multiple of chunk or less than it */
    size_t chunk; /* bytes of an array that one pass goes through */
    size_t at;    /* where the next pass begins */
    uint64_t until_ns;
    double bytes, seconds;
};

/*
 * Gives the part the thread's memory. Where the room has less than the part needs, it gets new
 * memory, of at least `least` bytes, written on the calling thread, so that it lies near its CPU.
 */
void stream_take(struct stream_part *p, struct stream_room *room, size_t least);
void stream_room_free(struct stream_room *room);
/* Goes through the next chunk of the arrays, so many times. Returns its bytes. */
size_t stream_pass(struct stream_part *p, uint64_t times);

#endif
