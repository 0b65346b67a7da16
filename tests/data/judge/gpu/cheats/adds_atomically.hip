// stale: over a pattern in the outputs
// options: --tolerance f32,rel=1e-4,abs=1e-3
#include "device.h"

KERNEL reduce_sum(const float *in, float *out, int n)
{
    int i = global_x();
    if (i < n) // to zeros in the captured memory
        __hip_atomic_fetch_add(&out[__builtin_amdgcn_workgroup_id_x()], in[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
