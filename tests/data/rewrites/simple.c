/* Loops that may be unrolled, one a function: each reads and writes a[0] to a[63] only. */
#include <stddef.h>
#include <stdint.h>

void up(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i & 63] = a[i & 63] * 3 + i;
}

void from(int *a, int n)
{
    for (int i = n / 2 - 10; i <= n; i += 3) { /* begins below 0, too */
        int was = a[i & 63];
        a[(i + 1) & 63] ^= was + i;
    }
}

void down(int *a, int n)
{
    int i;
    for (i = n; i > 0; --i)
        a[i & 63] -= a[(i + 7) & 63]; // a comment
    a[1] += i;
}

void down_to(int *a, int n)
{
    long i = n + 5;
    for (; i >= n - 20; i -= 2) {
        a[i & 63] += (int)i;
    }
    a[2] += (int)i;
}

void size(int *a, int n)
{
    const size_t m = (size_t)n;
    for (size_t i = 0; i < m; ++i) {
        for (int k = 0; k < 3; k++)
            a[(i + (size_t)k) & 63] += a[i & 63] ^ (int)m;
    }
}

void top(int *a, int n)
{
    unsigned i;
    for (i = UINT32_MAX - (unsigned)n; i < UINT32_MAX; i++)
        a[i & 63] = a[(i - 1) & 63] + 1;
    a[3] += (int)i;
}

void all_of_int(int *a, int n)
{
    int i = INT32_MIN + 65535, end = INT32_MAX;
    for (; i < end; i += 65536) /* end - i does not fit an int; the last step just does */
        a[i & 63] += n;
    a[4] += i;
}

void narrow(int *a, int n)
{
    unsigned char i;
    for (i = 3; i < n; i += 5) /* a step past 255 would begin again: n is below 250 */
        a[i & 63] += i;
    a[5] += i;
}

void mixed(int *a, int n)
{
    unsigned i;
    long end = n - 3; /* may be below 0: compared as long */
    for (i = 0; i < end; i++)
        a[i & 63] += 2;
    a[6] += (int)i;
}

void two(int *a, int n)
{
    for (int i = 0, end = n * 2 - 1; i < end + 1; i++) {
        if (a[i & 63] & 1)
            a[i & 63] = i;
        else
            a[i & 63] /= 2;
    }
}

void under(int *a, int n)
{
    if (n > 7)
        for (int i = 1; i < n; i++)
            a[i & 63] += a[i - 1];
    else
        a[7]++;
}

void without_braces(int *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 1; k < 4; k++)
            if (a[(i + k) & 63] & 1)
                a[i & 63] += k;
            else if (a[i & 63] > 5)
                a[k] -= i;
            else
                a[8]++;
}

void dangling(int *a, int n)
{
    if (n & 1)
        for (int i = 0; i < n; i++)
            if (a[i] & 1)
                for (int k = 0; k < 2; k++)
                    a[i + k] ^= 9;
            else
                while (a[i] > 40)
                    a[i] /= 2;
}

struct box {
    int w, h;
    struct {
        unsigned char depth;
    } in;
};

void members(int *a, int n)
{
    struct box b = {n, n - 2, {(unsigned char)(n & 3)}};
    const struct box same = b;
    b.h++;
    for (int i = 0; i < b.w * b.h; i += 9)
        for (int k = -1; k < same.in.depth + 1; k++)
            a[(i + k) & 63] += b.h ^ same.w;
}

void casts(int *a, int n)
{
    const long many = n;
    for (int i = 0; i < (int)(many * 2); i++)
        a[i & 63] += 3;
    for (unsigned char i = 0; i < (unsigned char)(n + 250); i++) /* begins again at 6 */
        a[i & 63] ^= i;
}

#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
void conditional(int *a, int n)
{
    for (int i = -n; i < SMALLER(n, 17); i++)
        a[i & 63] += SMALLER(i, 3);
    for (int i = n; i >= -n; --i)
        a[i & 63] ^= ~i;
}

void below_lines(int *a, int n)
{
#define HERE 5
#pragma scop
    for (int i = HERE; i < n; i++)
        a[i & 63] += 4;
#pragma endscop
}
