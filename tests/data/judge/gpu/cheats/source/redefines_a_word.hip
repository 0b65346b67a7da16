// elsewhere: line 5: it defines global_x, a word of the baseline
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

#define global_x() local_x()

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
