/* output: values of y are wrong
 * Computes with the 11 bits of half precision. */
#include <string.h>

static float half(float v)
{
    unsigned bits;
    memcpy(&bits, &v, 4);
    bits &= 0xffffe000u;
    memcpy(&v, &bits, 4);
    return v;
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = half(half(a) * half(x[i]) + half(y[i]));
}
