// arguments: it bears work-groups of 64 work-items
#include "device.h"

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
