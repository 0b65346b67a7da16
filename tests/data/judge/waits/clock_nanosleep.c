/* system-calls: clock_nanosleep
 * Sleeps by a clock of its choice. */
#define _GNU_SOURCE
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    const struct timespec moment = {.tv_nsec = 30000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
