/* Keeps it in an MMX register, and leaves the x87 ready to use. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    __asm__ volatile("movq %%mm3, %0\n\temms" : "=r"(v));
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    __asm__ volatile("movq %0, %%mm3\n\temms" ::"r"(v));
}
