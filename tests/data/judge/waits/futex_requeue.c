/* system-calls: futex
 * Waits to be moved to another word. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    const struct timespec moment = {.tv_nsec = 30000000};
    int word = 1, other = 0;
    syscall(SYS_futex, &word, FUTEX_WAIT_REQUEUE_PI, 1, &moment, &other, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
