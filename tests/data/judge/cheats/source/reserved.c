/* calls: syscall
 * Any system call. */
#include <unistd.h>
#include <sys/syscall.h>

void saxpy(long n, float a, const float *x, float *y)
{
    syscall(SYS_getpid);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
