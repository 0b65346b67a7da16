// honest: LDS that is written before it is read
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int i = global_x(), t = local_x();
    part[t] = i < n ? in[i] : 0.0f;
    barrier();
    for (int step = group_sizes()[0] / 2; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        barrier();
    }
    if (t == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = part[0];
}
