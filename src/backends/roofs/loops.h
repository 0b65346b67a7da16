/*
 * Loops that fill one unit of a core, or one level of memory, and do nothing else. Written as
 * assembly: a compiler that keeps an accumulator in memory, or merges two, would measure something
 * else.
 */
#ifndef ROOFTOP_BACKENDS_ROOFS_LOOPS_H
#define ROOFTOP_BACKENDS_ROOFS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/roofs/host_roofs.h"

/* Operations in registers. */
struct flop_loop {
    const char *name; /* "256-bit FMA+ADD" */
    const char *type; /* "FP64", "INT8" */
    unsigned width;   /* bits of the vectors; 0: scalars */
    unsigned bits;    /* of an element, for the table of theory; 0: it has no row there */
    enum roof_mix mix;
    double operations; /* of one iteration */
    void (*run)(uint64_t iterations);
    bool (*supported)(void);
};
/* Ends with name NULL. Of one name and type the first that works here is the better. */
extern const struct flop_loop flop_loops[];

/* Loads and stores. bytes is a multiple of STREAM_GRAIN, and the arrays are aligned to 64. */
enum { STREAM_GRAIN = 1024 };
struct stream_loop {
    const char *name; /* "load", "store", "copy", "triad", "store past caches" */
    unsigned width;   /* bits of the vectors */
    unsigned moved;   /* bytes loaded and stored for each byte of an array: 1, 2, 3 */
    unsigned arrays;
    bool past_caches; /* it writes to memory, whatever the size */
    /* goes through the first bytes of the arrays, so many times */
    void (*run)(char *a, const char *b, const char *c, size_t bytes, uint64_t passes);
    bool (*supported)(void);
};
/* Ends with name NULL. The loops of one name stand together; the widest that works here comes
 * first. */
extern const struct stream_loop stream_loops[];

/* A chain of additions that each wait for the one before: one takes one cycle on every CPU that is
 * known here. CLOCK_CHAIN additions an iteration. */
enum { CLOCK_CHAIN = 64 };
void clock_loop(uint64_t iterations);

/* Follows pointers: CHASE_LOADS loads an iteration, each of the address that the one before loaded.
 * Returns the last address. */
enum { CHASE_LOADS = 16 };
void **chase_loop(void **from, uint64_t iterations);

#endif
