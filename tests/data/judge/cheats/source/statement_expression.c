/* calls: times, a timer
 * In an expression. */
#include <sys/times.h>

void saxpy(long n, float a, const float *x, float *y)
{
    a += ({
        struct tms t;
        0 * (float)times(&t);
    });
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
