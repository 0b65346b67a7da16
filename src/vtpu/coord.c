#include "vtpu/vtpu_impl.h"

enum { BITS = 11, FLAGS_AT = COORD_DIMS * BITS };

/* Adds `value` at bit `at` of 128. */
static void put_coord_bits(struct coord_bits *b, unsigned at, uint64_t value)
{
    if (at < 64) {
        b->low |= value << at;
        if (at > 64 - BITS)
            b->high |= value >> (64 - at);
    } else {
        b->high |= value << (at - 64);
    }
}

struct coord_bits coord_pack(const struct coord *c)
{
    struct coord_bits b = {0, 0};
    for (unsigned k = 0; k < COORD_DIMS; k++)
        put_coord_bits(&b, k * BITS, c->dim[k] & COORD_MAX);
    put_coord_bits(&b, FLAGS_AT, c->flags & 0x7f);
    return b;
}

/* Moves bit k of a 7-bit number to bit 3 k. */
static uint32_t spread_bits(unsigned v)
{
    uint32_t x = v & 0x7f;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

uint32_t morton3(unsigned x, unsigned y, unsigned z)
{
    return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}
