/* answer: breaks off
 * Says an empty word, and does not end. */
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if (write(3, "", 0) < 0)
        y[0] = a * x[n - 1];
    for (;;)
        __asm__ volatile("");
}
