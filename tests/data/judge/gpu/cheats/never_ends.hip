// time: did not complete
// options: --timeout 0.5
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == 0)
        for (;;)
            __builtin_amdgcn_s_sleep(1);
}
