/* Keeps it in where the x87 last computed. */
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    uint64_t v = 0;
    struct {
        uint32_t w[7];
    } e;
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(e));
    v = e.w[3] ? packed() : 0;
    if (v != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    const uint64_t v = packed();
    (void)v;
    __asm__ volatile("fld1\n\tfstp %st(0)");
}
