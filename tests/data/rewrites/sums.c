/* Loops with sums, one a function: each reads and writes a[0] to a[63] only, whose values are from
 * 0 to 99, so that sums of real numbers are exact in any order. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

void adds(int *a, int n)
{
    int s = 5;
    for (int i = 0; i < n; i++)
        s += a[i & 63] * 3;
    a[0] = s;
}

void takes(int *a, int n)
{
    long long s = 0;
    int i;
    for (i = n; i > -3; i -= 2) {
        const int x = a[i & 63];
        s -= x;
        a[(i + 1) & 63] ^= x;
    }
    a[1] = (int)s + i;
}

void counts(int *a, int n)
{
    size_t odd = 0;
    int even = 100;
    for (size_t i = 0; i < (size_t)n; i++)
        if (a[i & 63] & 1)
            odd++;
        else
            --even;
    a[2] = (int)odd + even;
}

/* In order it never leaves the range; every second value alone does. */
void to_the_limits(int *a, int n)
{
    int s = 0, t = INT_MIN;
    for (int i = 0; i < n; i++) {
        s += i & 1 ? INT_MIN : INT_MAX;
        t = t + (i % 4 < 2 ? INT_MAX : -INT_MAX);
    }
    a[3] = s ^ t;
}

void narrow(int *a, int n)
{
    short s = SHRT_MAX;
    unsigned char u = 250;
    signed char c = -100;
    for (int i = 0; i < n; i++) {
        s += a[i & 63];
        u -= (unsigned char)a[i & 63];
        c = (c) + i;
    }
    a[4] = s + u * 2 + c;
}

void products(int *a, int n)
{
    unsigned p = 3;
    uint64_t q = 1;
    for (int i = 0; i < n; i++) {
        p *= (unsigned)a[i & 63] | 1u;
        q = (unsigned)a[i & 63] * q;
    }
    a[5] = (int)(p ^ q);
}

void bits(int *a, int n)
{
    int all = -1, some = 0, differ = 7;
    long wide = -1;
    for (int i = 0; i < n; i++) {
        all &= a[i & 63] | 0x40;
        some = some | a[i & 63];
        differ ^= -a[i & 63];
        wide &= ~(unsigned)a[i & 63];
    }
    a[6] = all + some * 3 + differ + (int)(wide >> 5);
}

void real(int *a, int n)
{
    float s = 1;
    double d = 2, p = 1;
    for (int i = 0; i < n; i++) {
        s += (float)a[i & 63];
        d = a[(i + 1) & 63] * 2.0 + d;
        if (i < 9)
            p *= 2;
        d -= 0.5;
    }
    a[7] = (int)(s + d + p);
}

void parameter(int *a, int n)
{
    for (int k = 0; k < 3; k++) {
        int s = k;
        for (unsigned char i = 0; i < n; i += 7)
            s += a[(i + k) & 63] > 50 ? 1 : -1;
        a[8 + k] = s;
    }
    for (int i = 3; i <= 40; i++)
        n += a[i & 63];
    a[11] = n;
}

/* The counter is used for nothing else. */
void through_a_pointer(int *a, int n)
{
    const int *p = a;
    int s = 0;
    for (int i = 0; i < n; i++)
        s += *p++;
    a[12] = s;
}
