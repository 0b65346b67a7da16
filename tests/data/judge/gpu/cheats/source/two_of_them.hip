// parse: the candidate has more than one definition
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}

#if 0
}
#endif
namespace other {
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
}
