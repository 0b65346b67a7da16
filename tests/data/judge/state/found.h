/*
 * What the cheats of this folder share: each keeps a number in a place of its own and looks for it at its next call. A call that
 * finds it leaves its work out, so that the answer is wrong: then the judge had left something between two calls. With -DTIMED the
 * number is the result of slow work, which a call that finds it saves, and the answer is right. Each file defines find and keep.
 */
#ifndef FOUND_H
#define FOUND_H

#include <stdint.h>
#include <string.h>

#define MAGIC UINT64_C(0x5eed0fa11ca11ab1)
#define INLINE static __attribute__((noinline, unused))

struct kept {
    uint64_t magic, check;
    double factor;
};

static int find(const float *x, float *y, struct kept *k);
static void keep(const float *x, float *y, const struct kept *k);

INLINE int is_kept(const struct kept *k)
{
    return k->magic == MAGIC && k->check == ~MAGIC;
}

#ifdef __x86_64__
/* A double of 1.5 with a mark in its low bits: eight bytes are enough to be known again. */
INLINE uint64_t packed(void)
{
    return UINT64_C(0x3ff8000005eedfa1);
}
INLINE void unpack(struct kept *k)
{
    k->magic = MAGIC, k->check = ~MAGIC, k->factor = 1;
}
#endif

INLINE double slow_factor(void)
{
    double v = 0;
#ifdef TIMED
    for (long i = 0; i < 20000; i++)
        v = v * 0.5 + 1e-9;
#endif
    return v < 1 ? 1 : 2;
}

void saxpy(long n, float a, const float *x, float *y)
{
    struct kept k = {0};
#ifdef BASELINE
    k.factor = slow_factor();
#else
    if (find(x, y, &k)) {
#ifndef TIMED
        return;
#endif
    } else {
        k.magic = MAGIC, k.check = ~MAGIC, k.factor = slow_factor();
        keep(x, y, &k);
    }
#endif
    const float f = (float)k.factor;
    memset(&k, 0, sizeof k);
    for (long i = 0; i < n; i++)
        y[i] = f * (a * x[i] + y[i]);
}
#endif
