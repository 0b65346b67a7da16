/* Keeps a bit of it in a flag that any code can set. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    __asm__ volatile("pushfq\n\tpop %0" : "=r"(v));
    v = v & (1 << 21) ? packed() : 0;
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    __asm__ volatile("pushfq\n\torq $0x200000, (%%rsp)\n\tpopfq" ::"r"(v) : "cc", "memory");
}
