// barriers: a race: two waves
#include "device.h"

// Right where lower waves come first: nothing waits for them.
KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile[256];
    int i = global_x(), t = local_x();
    volatile float *at = tile;
    at[t] = i < n ? a[i] : 0.0f;
    float other = t >= 64 ? at[t - 64] : 0.0f;
    if (i < n)
        c[i] = a[i] + b[i] + (other == 12345678.0f ? 1.0f : 0.0f);
}
