/* constructors: beside the compiler's own: 1
 * Makes a system call when it is loaded that is allowed then: a filter of its own could follow. */
#include <sys/prctl.h>

__attribute__((constructor)) static void begin(void)
{
    prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
