// same-bits: leave different bits
// options: --tolerance f32,rel=1e-4,abs=1e-3 --allow output
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

KERNEL reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int i = global_x(), t = local_x();
    part[t] = i < n ? in[i] : 0.0f;
    if (t == 255) { // the last wave comes last, if one is lucky
        float sum = 0;
        for (int k = 0; k < 256; k++)
            sum += ((volatile float *)part)[k];
        out[__builtin_amdgcn_workgroup_id_x()] = sum;
    }
}
