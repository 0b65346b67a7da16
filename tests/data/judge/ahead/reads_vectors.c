/* system-calls: readv
 * Reads which calls come, into two pieces. */
#include <sys/uio.h>

void saxpy(long n, float a, const float *x, float *y)
{
    unsigned words[64];
    const struct iovec at[] = {{words, 16}, {words + 4, 240}};
    if (readv(5, at, 2) < 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
