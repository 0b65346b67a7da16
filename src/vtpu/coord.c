#include "vtpu/vtpu_impl.h"

#include <stdio.h>
#include <string.h>

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

static unsigned take_bits(const struct coord_bits *b, unsigned at)
{
    uint64_t v = at >= 64 ? b->high >> (at - 64) : b->low >> at;
    if (at < 64 && at > 64 - BITS)
        v |= b->high << (64 - at);
    return (unsigned)v & COORD_MAX;
}

struct coord_bits coord_pack(const struct coord *c)
{
    struct coord_bits b = {0, 0};
    for (unsigned k = 0; k < COORD_DIMS; k++)
        put_coord_bits(&b, k * BITS, c->dim[k] & COORD_MAX);
    put_coord_bits(&b, FLAGS_AT, c->flags & 0x7f);
    return b;
}

struct coord coord_unpack(struct coord_bits b)
{
    struct coord c;
    memset(&c, 0, sizeof c);
    for (unsigned k = 0; k < COORD_DIMS; k++)
        c.dim[k] = (uint16_t)take_bits(&b, k * BITS);
    c.flags = (uint8_t)(take_bits(&b, FLAGS_AT) & 0x7f);
    return c;
}

uint64_t coord_hash(const struct coord *c)
{
    struct coord_bits b = coord_pack(c);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    h = (h ^ b.low) * UINT64_C(0x100000001b3);
    return (h ^ b.high) * UINT64_C(0x100000001b3);
}

const char *coord_text(const struct coord *c, char out[COORD_TEXT])
{
    size_t n = 0;
    for (int k = 0; k < COORD_DIMS; k++) {
        const char *between = k % 3 == 0 ? "/" : ".";
        n += (size_t)snprintf(out + n, COORD_TEXT - n, "%s%d", k ? between : "",
                              c->dim[k] & COORD_MAX);
    }
    return out;
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
