/* system-calls: 
 * Starts a thread when it is loaded. */
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
