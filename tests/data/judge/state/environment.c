/* Keeps it in the texts of the environment. */
#include "found.h"

extern char **environ;

static int find(const float *x, float *y, struct kept *k)
{
    if (environ[0][0] != '!')
        return 0;
    unpack(k);
    return 1;
}

static void keep(const float *x, float *y, const struct kept *k)
{
    environ[0][0] = '!';
}
