/* Keeps it in a mask register. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    if (!__builtin_cpu_supports("avx512bw"))
        return 0;
    __asm__ volatile("kmovq %%k5, %0" : "=r"(v));
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    if (__builtin_cpu_supports("avx512bw"))
        __asm__ volatile("kmovq %0, %%k5" ::"r"(v));
}
