// static-data: line 5: answers keeps
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

static __device__ float answers[1024];

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = answers[i] = a[i] + b[i];
}
