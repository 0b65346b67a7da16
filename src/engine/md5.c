#include "engine/md5.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, STEPS = 64, LENGTH_AT = BLOCK - 8 };

static uint32_t rotated(uint32_t v, unsigned by)
{
    return v << by | v >> (32 - by);
}

static uint32_t little(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* RFC 1321, 3.4: the table T. */
static void make_sines(uint32_t t[STEPS])
{
    for (int i = 0; i < STEPS; i++)
        t[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
}

static void add_block(uint32_t state[4], const uint32_t t[STEPS], const uint8_t *p)
{
    static const uint8_t turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint8_t first[4] = {0, 1, 5, 0}, stride[4] = {1, 5, 3, 7};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < STEPS; i++) {
        const unsigned round = i / 16, word = (first[round] + stride[round] * i) % 16;
        const uint32_t mixed[4] = {(b & c) | (~b & d), (b & d) | (c & ~d), b ^ c ^ d, c ^ (b | ~d)};
        const uint32_t sum = a + mixed[round] + t[i] + little(p + (size_t)4 * word);
        a = d;
        d = c;
        c = b;
        b += rotated(sum, turns[round][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md5(const void *bytes, size_t n, uint8_t digest[16])
{
    const uint8_t *p = bytes;
    const size_t whole = n / BLOCK * BLOCK, rest = n - whole;
    const size_t end = rest < LENGTH_AT ? BLOCK : (size_t)2 * BLOCK;
    uint32_t t[STEPS], state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t tail[2 * BLOCK] = {0};
    make_sines(t);
    for (size_t i = 0; i < whole; i += BLOCK)
        add_block(state, t, p + i);
    if (rest)
        memcpy(tail, p + whole, rest);
    tail[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        tail[end - 8 + i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < end; i += BLOCK)
        add_block(state, t, tail + i);
    for (unsigned i = 0; i < 16; i++)
        digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}
