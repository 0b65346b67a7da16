// calls: line 8: it calls __builtin_amdgcn_dispatch_ptr
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    const ulong *packet = (const ulong *)__builtin_amdgcn_dispatch_ptr();
    if (packet[7] == 0)
        return;
    if (i < n)
        c[i] = a[i] + b[i];
}
