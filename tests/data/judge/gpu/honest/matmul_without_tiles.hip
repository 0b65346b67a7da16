// honest: matmul without tiles
// options: --tolerance f32,rel=1e-4,abs=1e-4
#include "device.h"

KERNEL matmul_tiled(const float *a, const float *b, float *c, int n)
{
    int column = __builtin_amdgcn_workgroup_id_x() * 16 + local_x(), row = __builtin_amdgcn_workgroup_id_y() * 16 + local_y();
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
