/* Converts decimal numbers of any length to 64-bit integers, in a unit 10^scale times smaller. */
#include "json/tokens.h"

struct decimal {
    uint64_t value; /* of the first 19 or so digits after leading zeros */
    int power;      /* exponent of 10 for the value */
    bool seen;
};

static bool is_json_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(struct decimal *d, char c, bool fraction)
{
    d->seen = true;
    if (d->value <= (UINT64_MAX - 9) / 10) {
        d->value = d->value * 10 + (uint64_t)(c - '0');
        d->power -= fraction;
    } else {
        d->power += !fraction; /* a digit that does not fit only shifts the others */
    }
}

/* Reads an exponent, limited so that "too large" and "nothing" remain distinct. */
static bool read_exponent(const char *p, const char *end, int *out)
{
    enum { MOST = 10000 };
    bool minus = p < end && *p == '-';
    int v = 0;
    p += p < end && (*p == '-' || *p == '+');
    if (p == end)
        return false;
    for (; p < end && is_json_digit(*p); p++)
        v = v < MOST ? v * 10 + (*p - '0') : v;
    *out = minus ? -v : v;
    return p == end;
}

static bool scale_decimal(struct decimal d, int power, uint64_t *out)
{
    bool half = false;
    for (; power > 0 && d.value; power--)
        if (__builtin_mul_overflow(d.value, UINT64_C(10), &d.value))
            return false;
    for (; power < 0 && d.value; power++) {
        half = d.value % 10 >= 5;
        d.value /= 10;
    }
    *out = d.value + (power == 0 && half);
    return *out <= INT64_MAX;
}

bool json_scaled(const char *text, size_t size, int scale, int64_t *out)
{
    const char *p = text, *end = text + size;
    struct decimal d = {0};
    int e = 0;
    uint64_t v;
    bool minus = p < end && *p == '-';
    for (p += minus; p < end && is_json_digit(*p); p++)
        take_digit(&d, *p, false);
    if (p < end && *p == '.')
        for (p++; p < end && is_json_digit(*p); p++)
            take_digit(&d, *p, true);
    if (!d.seen || (p < end && *p != 'e' && *p != 'E'))
        return false;
    if (p < end && !read_exponent(p + 1, end, &e))
        return false;
    if (!scale_decimal(d, d.power + e + scale, &v))
        return false;
    *out = minus ? -(int64_t)v : (int64_t)v;
    return true;
}
