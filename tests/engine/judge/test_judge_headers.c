/* Headers of the system may be new, other files may not. */
#include <string.h>

#include "engine/judge/judge_headers.h"
#include "support/test.h"

TEST(headers)
{
    static const char *const good[] = {"math.h",      "sys/mman.h",        "vector",
                                       "immintrin.h", "hip/hip_runtime.h", "cub/cub.cuh",
                                       "cmath"};
    static const char *const bad[] = {"",       "/etc/passwd.h", "../own.h", "a/../../b.h",
                                      "secret", "keys.txt",      "a b.h",    "cmath vector",
                                      ".",      "x.h\n",         "own.c",    "%.h"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!judge_header_is_harmless(good[i], strlen(good[i])))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (judge_header_is_harmless(bad[i], strlen(bad[i])))
            fail_msg("'%s'", bad[i]);
}
