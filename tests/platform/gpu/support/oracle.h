// What the expressions of cases.def are written with: the values of instructions, computed another
// way than the interpreter computes them.
#pragma once

#include "gcn/number.h"
#include <stdbool.h>

static inline uint32_t bits32(float f)
{
    return (uint32_t)b32(f);
}
static inline uint64_t bits64(double d)
{
    return b64(d);
}

static inline bool add_overflows(int a, int b)
{
    return (int64_t)a + b != (int)((uint32_t)a + (uint32_t)b);
}
static inline bool subtract_overflows(int a, int b)
{
    return (int64_t)a - b != (int)((uint32_t)a - (uint32_t)b);
}
static inline uint32_t turned(uint32_t x)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r = r << 1 | (x >> k & 1);
    return r;
}

static inline uint32_t sign_bits(uint32_t x)
{
    const uint32_t y = (int32_t)x < 0 ? ~x : x;
    return y ? (uint32_t)__builtin_clz(y) : UINT32_MAX;
}
static inline int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    const int64_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}
static inline uint32_t near16(int64_t x)
{
    return (uint16_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x);
}
static inline uint32_t into_int(double d)
{
    if (isnan(d))
        return 0;
    return (uint32_t)(int32_t)fmax(fmin(d, 2147483647.0), -2147483648.0);
}
// The size of a number; what is none is quiet, so that others win over it.
static inline float numeric(float f)
{
    return isnan(f) ? NAN : fabsf(f);
}
static inline double h(uint32_t bits)
{
    return f16(bits);
}
// The nearest half, found among all of them; of two equally near the even one.
static inline uint32_t half(double value)
{
    uint32_t low = 0,
             high = 0x7c00; // half(low) <= size < half(high), as the numbers of halves ascend
    const double size = fabs(value);
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520) // from the middle on beyond the greatest
        return sign | 0x7c00;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(h(middle) <= size ? &low : &high) = middle;
    }
    const double next = high == 0x7c00 ? 65536 : h(high), below = size - h(low),
                 above = next - size;
    return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}
