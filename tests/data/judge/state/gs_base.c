/* Keeps it in the base of segment gs. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    extern unsigned long getauxval(unsigned long);
    if (!(getauxval(26) & 2))
        return 0;
    __asm__ volatile("rdgsbase %0" : "=r"(v));
    v = v == (packed() & 0x0fffffff) ? packed() : 0;
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    extern unsigned long getauxval(unsigned long);
    if (getauxval(26) & 2)
        __asm__ volatile("wrgsbase %0" ::"r"(v & 0x0fffffff));
}
