/* calls: nanosleep, a timer
 * A constant pointer to a function that may not be called. */
#include <time.h>

static int (*const wait)(const struct timespec *, struct timespec *) = nanosleep;

void saxpy(long n, float a, const float *x, float *y)
{
    const struct timespec none = {0, 0};
    wait(&none, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
