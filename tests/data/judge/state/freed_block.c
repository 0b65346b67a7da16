/* Keeps it in a block that it has freed. */
#include <stdlib.h>
#include "found.h"

static int find(const float *x, float *y, struct kept *k)
{
    struct kept *b = malloc(8192);
    int found = 0;
    for (int i = 4; i < 300 && !found; i++)
        if ((found = is_kept(&b[i])))
            *k = b[i];
    free(b);
    return found;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    volatile struct kept *const b = malloc(8192);
    b[77] = *k;
    free((void *)b);
}
