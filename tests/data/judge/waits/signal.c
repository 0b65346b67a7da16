/* system-calls: rt_sigtimedwait
 * Waits for a signal. */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    const struct timespec moment = {.tv_nsec = 30000000};
    sigset_t all;
    sigfillset(&all);
    sigtimedwait(&all, 0, &moment);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
