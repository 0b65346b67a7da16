/* system-calls: read
 * Reads which calls come. */
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    unsigned words[64];
    if (read(5, words, sizeof words) < 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
