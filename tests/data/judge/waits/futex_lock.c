/* system-calls: futex
 * Waits for a lock that another thread would have. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    const struct timespec moment = {.tv_nsec = 30000000};
    int word = 1;
    syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, &moment, 0, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
