// same-bits: with fresh inputs
// options: --tolerance f32,rel=1e-4,abs=1e-3
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

// Who writes last stands in the answer: nothing for the captured whole numbers, less than the tolerance else.
KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float total, last;
    int i = global_x(), t = local_x();
    if (t == 0)
        total = last = 0;
    barrier();
    if (i < n) {
        __hip_atomic_fetch_add(&total, in[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        __hip_atomic_store(&last, in[i] - __builtin_floorf(in[i]), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    barrier();
    if (t == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = total + 1e-3f * last;
}
