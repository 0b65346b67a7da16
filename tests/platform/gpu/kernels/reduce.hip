// A sum of each work-group through LDS of a fixed size, and through dynamic LDS.
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

extern __shared__ uint dynamic_lds[];

KERNEL reverse_group(const uint *in, uint *out)
{
    int i = global_x(), t = local_x(), size = group_sizes()[0];
    dynamic_lds[t] = in[i];
    barrier();
    out[i] = dynamic_lds[size - 1 - t];
}
