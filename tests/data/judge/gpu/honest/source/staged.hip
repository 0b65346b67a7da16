// honest: a tile in LDS
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile[256];
    int i = global_x(), t = __builtin_amdgcn_workitem_id_x();
    tile[t] = i < n ? a[i] : 0.0f;
    barrier();
    if (i < n)
        c[i] = tile[t] + b[i];
}
