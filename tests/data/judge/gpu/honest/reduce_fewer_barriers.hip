// honest: fewer barriers, because one wave does the rest
// options: --tolerance f32,rel=1e-4,abs=1e-3
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int i = global_x(), t = local_x();
    part[t] = i < n ? in[i] : 0.0f;
    barrier();
    if (t == 0) {
        float four[4] = {0, 0, 0, 0};
        for (int k = 0; k < 256; k += 4)
            for (int j = 0; j < 4; j++)
                four[j] += part[k + j];
        out[__builtin_amdgcn_workgroup_id_x()] = (four[0] + four[1]) + (four[2] + four[3]);
    }
}
