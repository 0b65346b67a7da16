/* Keeps it in the rights of protection keys that nobody uses. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    unsigned low = 0, high;
    extern unsigned long getauxval(unsigned long);
    unsigned a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c & 16))
        return 0;
    __asm__ volatile("rdpkru" : "=a"(low), "=d"(high) : "c"(0));
    v = low == 0x15555554 ? packed() : 0;
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    unsigned a = 7, b, c = 0, d;
    (void)v;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (c & 16)
        __asm__ volatile("wrpkru" ::"a"(0x15555554), "c"(0), "d"(0));
}
