/* system-calls: sched_setaffinity
 * Moves to a CPU of its own. */
#define _GNU_SOURCE
#include <sched.h>

void saxpy(long n, float a, const float *x, float *y)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
