// honest: staged in LDS, with a barrier
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

__shared__ float stage[256];

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    int t = local_x();
    stage[t] = i < n ? a[i] : 0;
    barrier();
    if (i < n)
        c[i] = stage[t] + b[i];
}
