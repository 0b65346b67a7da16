#include "backends/recorder/recorder_impl.h"

#include "base/env.h"

uint64_t tsc_now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

void tsc_line_begin(struct tsc_line *l)
{
    *l = (struct tsc_line){.tsc = tsc_now(), .ns = env_now_ns()};
    l->latest = l->tsc;
}

void tsc_line_draw(struct tsc_line *l)
{
    const uint64_t before = tsc_now(), ns = env_now_ns(), after = tsc_now();
    const uint64_t tsc = before + (after - before) / 2;
    if (tsc > l->tsc && ns > l->ns)
        l->slope = (double)(ns - l->ns) / (double)(tsc - l->tsc);
}

uint64_t tsc_line_ns(struct tsc_line *l, uint64_t tsc)
{
    if (tsc > l->latest)
        l->latest = tsc_now();
    if (tsc > l->latest)
        tsc = l->latest;
    return tsc > l->tsc ? l->ns + (uint64_t)((double)(tsc - l->tsc) * l->slope) : l->ns;
}
