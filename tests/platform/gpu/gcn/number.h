// Numbers as registers hold them: bits to floating point and back, and the conversions that
// saturate.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}
static inline uint64_t b32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline double f64(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline uint64_t b64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

double f16(uint64_t bits);  // of the low 16 bits
uint64_t b16(double value); // rounded to nearest even

// Sums and products of two halves are exact in double before they are rounded; so is a fused
// multiply-add.
static inline uint64_t fma16(double a, double b, double c)
{
    return b16(a * b + c);
}

double number_min(double a, double b); // the one that is a number; -0 is smaller than +0
double number_max(double a, double b);

// To integers: towards zero, the nearest representable for what is outside, 0 for NaN.
uint32_t to_u32(double d);
int32_t to_i32(double d);

// Which class of v_cmp_class a value is in, as a bit. Source: ISA, V_CMP_CLASS_F32.
uint32_t class_bit(double value, int is_quiet, int is_denormal);
uint32_t class32(uint64_t bits);
uint32_t class64(uint64_t bits);
uint32_t class16(uint64_t bits);

// The three steps that make division exact. a, b, c: sources 0, 1 (denominator) and 2 (numerator).
// Source: ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP. *flag: the bit of VCC.
uint64_t div_scale32(uint64_t a, uint64_t b, uint64_t c, int *flag);
uint64_t div_scale64(uint64_t a, uint64_t b, uint64_t c, int *flag);
uint64_t div_fmas32(uint64_t a, uint64_t b, uint64_t c, int flag);
uint64_t div_fmas64(uint64_t a, uint64_t b, uint64_t c, int flag);
uint64_t div_fixup32(uint64_t a, uint64_t b, uint64_t c);
uint64_t div_fixup64(uint64_t a, uint64_t b, uint64_t c);
uint64_t div_fixup16(uint64_t a, uint64_t b, uint64_t c);

static inline uint32_t reverse32(uint32_t x)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r |= (x >> k & 1) << (31 - k);
    return r;
}
static inline uint64_t reverse64(uint64_t x)
{
    return (uint64_t)reverse32((uint32_t)x) << 32 | reverse32((uint32_t)(x >> 32));
}
// How many bits from the top equal the sign, or -1 where all do.
int32_t leading_sign(int64_t x, int bits);
uint32_t bit_field(uint32_t x, uint32_t offset, uint32_t width);
int32_t bit_field_signed(uint32_t x, uint32_t offset, uint32_t width);
// Source: ISA, V_PERM_B32. high: source 0, low: source 1.
uint32_t byte_permute(uint32_t high, uint32_t low, uint32_t select);
