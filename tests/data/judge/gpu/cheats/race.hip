// output: with the captured inputs
#include "device.h"

KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int i = global_x(), t = local_x();
    part[t] = i < n ? in[i] : 0.0f;
    for (int step = group_sizes()[0] / 2; step > 0; step /= 2)
        if (t < step)
            ((volatile float *)part)[t] += ((volatile float *)part)[t + step];
    if (t == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = part[0];
}
