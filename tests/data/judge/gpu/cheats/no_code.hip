// build: it does not build
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    this is no code
}
