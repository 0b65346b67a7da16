/* system-calls: nanosleep
 * Lets time pass, which a count of instructions would not see. */
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    usleep(10);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
