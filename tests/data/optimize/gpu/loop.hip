// A loop that -O1 leaves as it is: what n is, the compiler does not know.
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    float sum = a[i] + b[i];
    for (int k = 0; k < n / 16; k++)
        sum += k == n ? b[k] : 0;
    c[i] = sum;
}
