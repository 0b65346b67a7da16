// Loads as often as the last value of `a` says: its cost goes up and down with fresh inputs. With
// the last value of `b` it does so as much, but in other launches: pairs of both decide nothing.
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    const volatile float *again = a + i;
    for (uint k = *(const uint *)(a + n - 1) & 63; k > 0; k--)
        (void)*again;
    c[i] = a[i] + b[i];
}
