// honest: two tiles at once, half of the barriers
// options: --tolerance f32,rel=1e-4,abs=1e-4
#include "device.h"

enum { TILE = 16 };

KERNEL matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][2 * TILE], tb[2 * TILE][TILE];
    int x = local_x(), y = local_y();
    int column = __builtin_amdgcn_workgroup_id_x() * TILE + x, row = __builtin_amdgcn_workgroup_id_y() * TILE + y;
    float sum = 0;
    for (int k = 0; k < n; k += 2 * TILE) {
        ta[y][x] = a[row * n + k + x];
        ta[y][x + TILE] = a[row * n + k + TILE + x];
        tb[y][x] = b[(k + y) * n + column];
        tb[y + TILE][x] = b[(k + TILE + y) * n + column];
        barrier();
        for (int j = 0; j < 2 * TILE; j++)
            sum += ta[y][j] * tb[j][x];
        barrier();
    }
    c[row * n + column] = sum;
}
