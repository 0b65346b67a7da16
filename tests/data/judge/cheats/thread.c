/* system-calls: 
 * Works on in a thread when it has returned. */
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

void saxpy(long n, float a, const float *x, float *y)
{
    pthread_t t;
    pthread_create(&t, 0, work, y);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
