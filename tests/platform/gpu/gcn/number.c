#include "number.h"

double f16(uint64_t bits)
{
    const uint32_t h = bits & 0xffff, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    double value;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, -24);
    else
        value = ldexp((double)(fraction | 0x400), (int)exponent - 25);
    return h & 0x8000 ? -value : value;
}

uint64_t b16(double value)
{
    const uint64_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520.0) // the middle between the greatest and what would be next
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint64_t)nearbyint(ldexp(size, 24));
    int exponent;
    const double fraction = frexp(size, &exponent);                    // [0.5, 1)
    const uint64_t rounded = (uint64_t)nearbyint(ldexp(fraction, 11)); // [1024, 2048]
    return sign | (((uint64_t)(exponent + 14) << 10) + (rounded - 1024));
}

double number_min(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

double number_max(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

uint32_t to_u32(double d)
{
    if (isnan(d) || d <= 0)
        return 0;
    return d >= 4294967295.0 ? UINT32_MAX : (uint32_t)d;
}

int32_t to_i32(double d)
{
    if (isnan(d))
        return 0;
    if (d <= -2147483648.0)
        return INT32_MIN;
    return d >= 2147483647.0 ? INT32_MAX : (int32_t)d;
}

uint32_t class_bit(double value, int is_quiet, int is_denormal)
{
    const int negative = signbit(value) != 0;
    if (isnan(value))
        return is_quiet ? 1u << 1 : 1u << 0;
    if (isinf(value))
        return negative ? 1u << 2 : 1u << 9;
    if (value == 0)
        return negative ? 1u << 5 : 1u << 6;
    if (is_denormal)
        return negative ? 1u << 4 : 1u << 7;
    return negative ? 1u << 3 : 1u << 8;
}

uint32_t class32(uint64_t bits)
{
    return class_bit(f32(bits), bits >> 22 & 1, (bits >> 23 & 0xff) == 0);
}
uint32_t class64(uint64_t bits)
{
    return class_bit(f64(bits), bits >> 51 & 1, (bits >> 52 & 0x7ff) == 0);
}
uint32_t class16(uint64_t bits)
{
    return class_bit(f16(bits), bits >> 9 & 1, (bits >> 10 & 0x1f) == 0);
}

// What differs between the precisions.
struct format {
    int far;      // exponents so far apart that the quotient is near the greatest number
    int scale;    // by how many powers of two is scaled
    int tiny;     // exponents of numerators that are scaled always
    int smallest; // the exponent of the smallest normal number
};
static const struct format SINGLE = {96, 64, 23, -126}, DOUBLE = {768, 128, 53, -1022};

static int is_denormal(double x, const struct format *f)
{
    return x != 0 && fabs(x) < ldexp(1, f->smallest);
}

// By which power of two source 0 is multiplied; *flag as above. raw_b, raw_c: exponents as stored.
static int div_scale(double a, double b, double c, int raw_b, int raw_c, const struct format *f,
                     int *flag)
{
    const long double inverse = 1.0L / b, quotient = (long double)c / b;
    const long double least = ldexpl(1, f->smallest);
    const int inverse_denormal = fabsl(inverse) < least,
              quotient_denormal = fabsl(quotient) < least;
    *flag = 0;
    if (raw_c - raw_b >= f->far) {
        *flag = 1;
        return a == b ? f->scale : 0;
    }
    if (is_denormal(b, f))
        return f->scale;
    if (inverse_denormal && quotient_denormal) {
        *flag = 1;
        return a == b ? -f->scale : 0;
    }
    if (inverse_denormal)
        return -f->scale;
    if (quotient_denormal) {
        *flag = 1;
        return a == c ? f->scale : 0;
    }
    return raw_c <= f->tiny ? f->scale : 0;
}

uint64_t div_scale32(uint64_t a, uint64_t b, uint64_t c, int *flag)
{
    *flag = 0;
    if (f32(b) == 0 || f32(c) == 0)
        return b32(NAN);
    if (!isfinite(f32(b)) || !isfinite(f32(c)))
        return a;
    const int scale =
        div_scale(f32(a), f32(b), f32(c), b >> 23 & 0xff, c >> 23 & 0xff, &SINGLE, flag);
    return b32(ldexpf(f32(a), scale));
}

uint64_t div_scale64(uint64_t a, uint64_t b, uint64_t c, int *flag)
{
    *flag = 0;
    if (f64(b) == 0 || f64(c) == 0)
        return b64(NAN);
    if (!isfinite(f64(b)) || !isfinite(f64(c)))
        return a;
    const int scale =
        div_scale(f64(a), f64(b), f64(c), b >> 52 & 0x7ff, c >> 52 & 0x7ff, &DOUBLE, flag);
    return b64(ldexp(f64(a), scale));
}

// Rounded once, after scaling.
uint64_t div_fmas32(uint64_t a, uint64_t b, uint64_t c, int flag)
{
    if (!flag)
        return b32(fmaf(f32(a), f32(b), f32(c)));
    const double sum = fma((double)f32(a), (double)f32(b), (double)f32(c));
    return b32((float)ldexp(sum, (c >> 23 & 0xff) > 127 ? 64 : -64));
}

uint64_t div_fmas64(uint64_t a, uint64_t b, uint64_t c, int flag)
{
    if (!flag)
        return b64(fma(f64(a), f64(b), f64(c)));
    const long double sum = fmal(f64(a), f64(b), f64(c));
    return b64((double)ldexpl(sum, (c >> 52 & 0x7ff) > 1023 ? 128 : -128));
}

// a: the quotient so far, b: denominator, c: numerator. underflows: their exponents say that it is
// 0.
static double div_fixup(double a, double b, double c, int underflows)
{
    const double sign = (signbit(b) != 0) != (signbit(c) != 0) ? -1.0 : 1.0;
    if (isnan(c))
        return c;
    if (isnan(b))
        return b;
    if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
        return -NAN;
    if (b == 0 || isinf(c))
        return copysign(INFINITY, sign);
    if (isinf(b) || c == 0 || underflows)
        return copysign(0.0, sign);
    if (isnan(a)) // of two finite numbers: the steps before met an infinity
        return copysign(INFINITY, sign);
    return copysign(a, sign);
}

uint64_t div_fixup32(uint64_t a, uint64_t b, uint64_t c)
{
    const int exponents = (int)(c >> 23 & 0xff) - (int)(b >> 23 & 0xff);
    return b32((float)div_fixup(f32(a), f32(b), f32(c), exponents < -150));
}
uint64_t div_fixup64(uint64_t a, uint64_t b, uint64_t c)
{
    const int exponents = (int)(c >> 52 & 0x7ff) - (int)(b >> 52 & 0x7ff);
    return b64(div_fixup(f64(a), f64(b), f64(c), exponents < -1075));
}
uint64_t div_fixup16(uint64_t a, uint64_t b, uint64_t c)
{
    return b16(div_fixup(f16(a), f16(b), f16(c), 0));
}

int32_t leading_sign(int64_t x, int bits)
{
    const uint64_t differ = (uint64_t)(x < 0 ? ~x : x);
    return differ ? __builtin_clzll(differ) - (64 - bits) : -1;
}

uint32_t bit_field(uint32_t x, uint32_t offset, uint32_t width)
{
    offset &= 31;
    width &= 31;
    return x >> offset & ((1u << width) - 1);
}

int32_t bit_field_signed(uint32_t x, uint32_t offset, uint32_t width)
{
    offset &= 31;
    width &= 31;
    if (!width)
        return 0;
    if (offset + width >= 32)
        return (int32_t)x >> offset;
    return (int32_t)(x << (32 - offset - width)) >> (32 - width);
}

uint32_t byte_permute(uint32_t high, uint32_t low, uint32_t select)
{
    const uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t s = select >> 8 * k & 0xff;
        uint32_t byte;
        if (s <= 7)
            byte = bytes >> 8 * s & 0xff;
        else if (s <= 11) // the sign of bytes 1, 3, 5, 7
            byte = bytes >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
        else
            byte = s == 12 ? 0 : 0xff;
        r |= byte << 8 * k;
    }
    return r;
}
