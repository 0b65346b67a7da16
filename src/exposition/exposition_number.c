#include "exposition/exposition_number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Powers of ten that a double holds exactly: with a whole number below 2^53 one multiplication or
 * division then gives the nearest double (Clinger, "How to read floating point numbers accurately",
 * 1990). */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS = sizeof tens / sizeof *tens, DIGITS = 18, LONGEST = 400 };

static bool is_number_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What a number's text says, before it becomes a double. */
struct parts {
    uint64_t digits;
    int ndigits, power; /* power: of ten, for digits */
    const char *p, *end;
};

static void take_number_digits(struct parts *d, int fraction)
{
    for (; d->p < d->end && is_number_digit(*d->p); d->p++) {
        d->ndigits++;
        d->digits = d->digits * 10 + (uint64_t)(*d->p - '0');
        d->power -= fraction;
    }
}

/* The exponent after 'e'; false: it has no digits. */
static bool take_number_exponent(struct parts *d)
{
    int e = 0;
    const bool minus = d->p < d->end && *d->p == '-';
    d->p += d->p < d->end && (*d->p == '-' || *d->p == '+');
    if (d->p == d->end)
        return false;
    for (; d->p < d->end && is_number_digit(*d->p); d->p++)
        e = e < 100000 ? e * 10 + (*d->p - '0') : e;
    d->power += minus ? -e : e;
    return true;
}

/* Numbers that need more than the short way. */
static bool read_slowly(const char *text, size_t n, double *out)
{
    char copy[LONGEST + 1];
    if (n > LONGEST)
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *out = strtod(copy, NULL);
    return true;
}

static bool read_number_word(const char *text, size_t n, double *out)
{
    const bool minus = n > 1 && *text == '-';
    const size_t sign = n > 1 && (minus || *text == '+');
    text += sign;
    n -= sign;
    if (n == 3 && strncasecmp(text, "nan", 3) == 0)
        *out = NAN;
    else if ((n == 3 && strncasecmp(text, "inf", 3) == 0) ||
             (n == 8 && strncasecmp(text, "infinity", 8) == 0))
        *out = minus ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

bool exposition_number(const char *text, size_t n, double *out)
{
    struct parts d = {.p = text, .end = text + n};
    const bool minus = n && *text == '-';
    d.p += n && (minus || *text == '+');
    take_number_digits(&d, 0);
    if (d.p < d.end && *d.p == '.') {
        d.p++;
        take_number_digits(&d, 1);
    }
    if (d.ndigits == 0)
        return read_number_word(text, n, out);
    if (d.p < d.end && (*d.p == 'e' || *d.p == 'E')) {
        d.p++;
        if (!take_number_exponent(&d))
            return false;
    }
    if (d.p != d.end)
        return false;
    const int power = d.power < 0 ? -d.power : d.power;
    if (d.ndigits > DIGITS || d.digits > UINT64_C(1) << 53 || power >= TENS)
        return read_slowly(text, n, out);
    const double whole = (double)d.digits;
    const double v = d.power < 0 ? whole / tens[power] : whole * tens[power];
    *out = minus ? -v : v;
    return true;
}
