/* static-data: calls is thread-local
 * Counts calls. */
static _Thread_local int calls;

void saxpy(long n, float a, const float *x, float *y)
{
    calls++;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
