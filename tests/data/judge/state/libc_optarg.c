/* Keeps it in a pointer of libc that nobody uses here. */
#include <unistd.h>
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    if ((uint64_t)optarg != packed())
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    optarg = (char *)packed();
}
