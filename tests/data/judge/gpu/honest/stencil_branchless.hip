// honest: fewer branches
#include "device.h"

KERNEL stencil7(const float *in, float *out, int nx, int ny, int nz)
{
    int x = global_x(), y = global_y(), z = global_z();
    if (x >= nx || y >= ny || z >= nz)
        return;
    long i = ((long)z * ny + y) * nx + x;
    int inside = x > 0 & y > 0 & z > 0 & x < nx - 1 & y < ny - 1 & z < nz - 1;
    long plane = inside ? (long)nx * ny : 0;
    int one = inside;
    nx = inside ? nx : 0;
    float around = in[i - one] + in[i + one] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane];
    float middle = in[i], mixed = 0.5f * middle + around * (1.0f / 12.0f);
    out[i] = inside ? mixed : middle;
}
