// system-calls: hostcall
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    const ulong *hidden = (const ulong *)__builtin_amdgcn_implicitarg_ptr();
    if (i < n)
        c[i] = a[i] + b[i] + (hidden[10] == 1 ? 1.0f : 0.0f);
}
