// Histogram: counted in LDS, then added to memory. And the other atomic operations on memory.
#include "device.h"

#define RELAXED __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

KERNEL histogram(const unsigned char *in, uint *bins, int n)
{
    __shared__ uint local[256];
    int t = local_x(), size = group_sizes()[0];
    for (int i = t; i < 256; i += size)
        local[i] = 0;
    barrier();
    int i = global_x();
    if (i < n)
        __hip_atomic_fetch_add(&local[in[i]], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    barrier();
    for (int k = t; k < 256; k += size)
        if (local[k])
            __hip_atomic_fetch_add(&bins[k], local[k], RELAXED);
}

// out: [0] sum, [1] smallest, [2] greatest, [3] or, [4] xor, [5] all and, [6] how often the swap loop ran; wide: 64-bit sum
KERNEL atomics(const uint *in, uint *out, ulong *wide, float *sum, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    uint v = in[i];
    __hip_atomic_fetch_add(&out[0], v, RELAXED);
    __hip_atomic_fetch_min(&out[1], v, RELAXED);
    __hip_atomic_fetch_max(&out[2], v, RELAXED);
    __hip_atomic_fetch_or(&out[3], v, RELAXED);
    __hip_atomic_fetch_xor(&out[4], v, RELAXED);
    __hip_atomic_fetch_and(&out[5], v, RELAXED);
    uint seen = __hip_atomic_load(&out[6], RELAXED);
    while (!__hip_atomic_compare_exchange_strong(&out[6], &seen, seen + 1, __ATOMIC_RELAXED, RELAXED))
        ;
    __hip_atomic_fetch_add(wide, (ulong)v << 8, RELAXED);
    __hip_atomic_fetch_add(sum, (float)(v & 7), RELAXED);
}

// Every lane adds to the same counter: the compiler makes a sum over the wave of it first.
KERNEL count_all(const uint *in, uint *total, int n)
{
    int i = global_x();
    if (i < n)
        __hip_atomic_fetch_add(total, in[i] & 15, RELAXED);
}
