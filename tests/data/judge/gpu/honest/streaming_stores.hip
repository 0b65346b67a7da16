// honest: streaming stores
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        __builtin_nontemporal_store(a[i] + b[i], c + i);
}
