/* Coordinates: their 128 bits, their hash, their text, their place in Morton order. */
#ifndef ROOFTOP_VTPU_COORD_H
#define ROOFTOP_VTPU_COORD_H

#include "vtpu/word.h"

struct coord_bits {
    uint64_t low, high;
};

/*
 * 11 times 11 bits and 7 flags fill 128 bits exactly: dimension k begins at bit 11 k, flags at bit
 * 121. (The original wrote dimension 5 into the 9 bits left in the lower half, and lost values from
 * 512.)
 */
struct coord_bits coord_pack(const struct coord *c);
struct coord coord_unpack(struct coord_bits b);
/* FNV-1a over the lower, then the upper half. */
uint64_t coord_hash(const struct coord *c);
/* "1.2.3/4.5.6/7.8.9/10.11": at most COORD_TEXT bytes. */
enum { COORD_TEXT = 64 };
const char *coord_text(const struct coord *c, char out[COORD_TEXT]);
/* The place of (x, y, z), 7 bits each, in Morton order: bits x0 y0 z0 x1 y1 z1 ... from the lowest.
 */
uint32_t morton3(unsigned x, unsigned y, unsigned z);

#endif
