/* Keeps it in the name of the program. */
#define _GNU_SOURCE
#include <errno.h>
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    if ((uint64_t)program_invocation_name != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    program_invocation_name = (char *)packed();
}
