/* Keeps it in new memory, and looks there again. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    char *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    *k = *(struct kept *)(at + 4096);
    munmap(at, 4096);
    return is_kept(k);
}

static void keep(const float *x, float *y, const struct kept *k)
{
    char *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(struct kept *)at = *k;
}
