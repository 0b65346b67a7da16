// honest: matmul unrolled
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
        sum += ta[y][0] * tb[0][x];
        sum += ta[y][1] * tb[1][x];
        sum += ta[y][2] * tb[2][x];
        sum += ta[y][3] * tb[3][x];
        sum += ta[y][4] * tb[4][x];
        sum += ta[y][5] * tb[5][x];
        sum += ta[y][6] * tb[6][x];
        sum += ta[y][7] * tb[7][x];
        sum += ta[y][8] * tb[8][x];
        sum += ta[y][9] * tb[9][x];
        sum += ta[y][10] * tb[10][x];
        sum += ta[y][11] * tb[11][x];
        sum += ta[y][12] * tb[12][x];
        sum += ta[y][13] * tb[13][x];
        sum += ta[y][14] * tb[14][x];
        sum += ta[y][15] * tb[15][x];
        barrier();
    }
    c[row * n + column] = sum;
}
