// What the hardware has no single instruction for: division, remainders, square roots, conversions, bits.
#include "device.h"

// Quotients and remainders, 32 bits: out[4 i ..] = s/s, s%s, u/u, u%u
KERNEL int_divide(const int *a, const int *b, int *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = a[i] % b[i];
    out[4 * i + 2] = (uint)a[i] / (uint)b[i];
    out[4 * i + 3] = (uint)a[i] % (uint)b[i];
}

// The same with 64 bits.
KERNEL long_divide(const long *a, const long *b, long *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = a[i] % b[i];
    out[4 * i + 2] = (ulong)a[i] / (ulong)b[i];
    out[4 * i + 3] = (ulong)a[i] % (ulong)b[i];
}

// Correctly rounded quotients, both precisions.
KERNEL float_divide(const float *a, const float *b, float *q, double *dq, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    q[i] = a[i] / b[i];
    dq[i] = (double)a[i] / (double)b[i];
}

// out[8 i ..]: floor, ceil, trunc, round to even, square root, smallest, greatest, absolute
KERNEL float_parts(const float *a, const float *b, float *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    float x = a[i], y = b[i], *o = out + 8 * i;
    o[0] = __builtin_floorf(x);
    o[1] = __builtin_ceilf(x);
    o[2] = __builtin_truncf(x);
    o[3] = __builtin_rintf(x);
    o[4] = __builtin_sqrtf(__builtin_fabsf(x));
    o[5] = __builtin_fminf(x, y);
    o[6] = __builtin_fmaxf(x, y);
    o[7] = -__builtin_fabsf(x);
}

// out[6 i ..]: bits set, leading zeros, trailing zeros, bits reversed, bytes reversed, rotated
KERNEL bit_parts(const uint *a, uint *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    uint x = a[i], *o = out + 6 * i;
    o[0] = __builtin_popcount(x);
    o[1] = x ? __builtin_clz(x) : 32;
    o[2] = x ? __builtin_ctz(x) : 32;
    o[3] = __builtin_bitreverse32(x);
    o[4] = __builtin_bswap32(x);
    o[5] = __builtin_rotateleft32(x, 7);
}

// out[6 i ..]: to int, unsigned, short, byte and back, double and back through long
KERNEL convert(const float *a, const signed char *b, double *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    double *o = out + 6 * i;
    o[0] = (int)a[i];
    o[1] = (uint)__builtin_fabsf(a[i]);
    o[2] = (short)b[i] * (short)(b[i] + 1);
    o[3] = (unsigned char)b[i];
    o[4] = (double)(long)((double)a[i] * 1e6);
    o[5] = (double)(ulong)((double)__builtin_fabsf(a[i]) * 1e6);
}

// Different work for lanes of one wave: branches, loops of different length, a switch.
KERNEL diverge(const uint *a, uint *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    uint x = a[i], steps = 0;
    while (x != 1 && steps < 1000) {
        switch (x & 3) {
        case 0: x >>= 2; break;
        case 2: x >>= 1; break;
        default: x = 3 * x + 1;
        }
        steps++;
    }
    out[i] = steps;
}
