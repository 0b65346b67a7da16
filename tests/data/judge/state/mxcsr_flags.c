/* Keeps a bit of it in the exceptions that vectors note. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    v = __builtin_ia32_stmxcsr() & 2 ? packed() : 0;
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    (void)v;
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 2);
}
