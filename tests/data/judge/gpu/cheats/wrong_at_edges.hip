// output: 7 values
// options: --tolerance f32,rel=1e-6
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n) // a group's last item adds what its neighbour should
        c[i] = a[i] + b[local_x() == group_sizes()[0] - 1 ? i - 1 : i];
}
