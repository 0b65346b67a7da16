// honest: fused multiply-adds
// options: --tolerance f32,rel=1e-4,abs=1e-4
#include "device.h"

enum { TILE = 16 };

KERNEL matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = local_x(), y = local_y();
    int column = __builtin_amdgcn_workgroup_id_x() * TILE + x, row = __builtin_amdgcn_workgroup_id_y() * TILE + y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        barrier();
        for (int j = 0; j < TILE; j++)
            sum = __builtin_fmaf(ta[y][j], tb[j][x], sum);
        barrier();
    }
    c[row * n + column] = sum;
}
