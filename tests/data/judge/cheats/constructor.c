/* system-calls: 
 * Prepares something before it is called: a file. */
#include <fcntl.h>

__attribute__((constructor)) static void begin(void)
{
    open("/tmp/rooftop-answers", O_CREAT | O_RDWR, 0600);
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
