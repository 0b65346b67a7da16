// honest: lanes of a wave, whose width the code object has
// options: --tolerance f32,rel=1e-4,abs=1e-3
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

static __device__ float from_lane(float v, int lane)
{
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_bit_cast(int, v)));
}

KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[4];
    int i = global_x(), t = local_x(), lane = t % 64;
    float sum = i < n ? in[i] : 0.0f;
    for (int step = 32; step > 0; step /= 2)
        sum += from_lane(sum, lane ^ step);
    if (lane == 0)
        part[t / 64] = sum;
    barrier();
    if (t == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = (part[0] + part[1]) + (part[2] + part[3]);
}
