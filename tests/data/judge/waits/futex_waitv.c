/* system-calls: 
 * Waits for one of many words. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct {
        unsigned long value, address;
        unsigned flags, zero;
    } words = {0};
    const struct timespec moment = {.tv_nsec = 30000000};
    syscall(449, &words, 1, 0, &moment, CLOCK_MONOTONIC);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
