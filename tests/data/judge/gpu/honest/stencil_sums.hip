// honest: the sum in another order
// options: --tolerance f32,rel=1e-5,abs=1e-5
#include "device.h"

KERNEL stencil7(const float *in, float *out, int nx, int ny, int nz)
{
    int x = global_x(), y = global_y(), z = global_z();
    if (x >= nx || y >= ny || z >= nz)
        return;
    long i = ((long)z * ny + y) * nx + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    long plane = (long)nx * ny;
    float around = (in[i - plane] + in[i + plane]) + (in[i - nx] + in[i + nx]) + (in[i - 1] + in[i + 1]);
    out[i] = 0.5f * in[i] + around * (1.0f / 12.0f);
}
