/* The arrays of one thread that a loop of loads and stores goes through. */
#ifndef ROOFTOP_BACKENDS_ROOFS_STREAMS_H
#define ROOFTOP_BACKENDS_ROOFS_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "backends/roofs/loops.h"
#include "backends/roofs/roof_memory.h"

struct stream_part {
    const struct stream_loop *loop;
    struct roof_place place;
    char *memory; /* NULL: there was none */
    size_t array; /* bytes of each array, a multiple of chunk or less than it */
    size_t chunk; /* bytes of an array that one pass goes through */
    size_t at;    /* where the next pass begins */
    uint64_t until_ns;
    double bytes, seconds;
};

/* Writes the memory on the calling thread, so that it lies near its CPU. */
void stream_make(struct stream_part *p);
void stream_free(struct stream_part *p);
/* Goes through the next chunk of the arrays, so many times. Returns its bytes. */
size_t stream_pass(struct stream_part *p, uint64_t times);

#endif
