/* Which of the kernels this CPU can run. */
#include <string.h>

#include "kernels.h"

#if defined(__x86_64__)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}
#else
static int has_avx2(void)
{
    return 0;
}
static int has_avx512(void)
{
    return 0;
}
#endif

const struct kernels *const *backends_here(void)
{
    static const struct kernels *list[6];
    size_t n = 0;
    if (list[0])
        return list;
    list[n++] = kernels_scalar;
    if (kernels_sse)
        list[n++] = kernels_sse;
    if (kernels_neon)
        list[n++] = kernels_neon;
    if (kernels_avx2 && has_avx2())
        list[n++] = kernels_avx2;
    if (kernels_avx512 && has_avx512())
        list[n++] = kernels_avx512;
    return list;
}

const struct kernels *backend_named(const char *name)
{
    const struct kernels *const *list = backends_here(), *best = NULL;
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
        best = list[i];
    }
    return strcmp(name, "best") == 0 ? best : NULL;
}
