/* Keeps it in one of the vector registers that only AVX-512 has. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    if (!__builtin_cpu_supports("avx512f"))
        return 0;
    __asm__ volatile("vextracti64x4 $1, %%zmm27, %%ymm0\n\tvmovq %%xmm0, %0\n\tvzeroupper" : "=r"(v)::"xmm0");
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    if (__builtin_cpu_supports("avx512f"))
        __asm__ volatile("vmovq %0, %%xmm0\n\tvinserti64x4 $1, %%ymm0, %%zmm27, %%zmm27\n\tvzeroupper" ::"r"(v) : "xmm0");
}
