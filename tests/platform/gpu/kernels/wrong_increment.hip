// A build of vector.hip's `increment` with a mistake: replay has to find it.
#include "device.h"

KERNEL increment(uint *p, uint n, uint by)
{
    uint i = global_x();
    if (i < n)
        p[i] = p[i] * 3 + by + 1;
}
