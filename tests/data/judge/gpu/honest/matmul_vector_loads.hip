// honest: tiles by loads of four values
// options: --tolerance f32,rel=1e-4,abs=1e-4
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

typedef float float4 __attribute__((ext_vector_type(4)));
enum { TILE = 16 };

KERNEL matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = local_x(), y = local_y(), t = y * TILE + x;
    int column = __builtin_amdgcn_workgroup_id_x() * TILE, row = __builtin_amdgcn_workgroup_id_y() * TILE;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        if (t < 64) {
            int down = t / 4, right = t % 4 * 4;
            *(float4 *)&ta[down][right] = *(const float4 *)&a[(row + down) * n + k + right];
            *(float4 *)&tb[down][right] = *(const float4 *)&b[(k + down) * n + column + right];
        }
        barrier();
        for (int j = 0; j < TILE; j++)
            sum += ta[y][j] * tb[j][x];
        barrier();
    }
    c[(row + y) * n + column + x] = sum;
}
