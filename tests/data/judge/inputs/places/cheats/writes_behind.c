/* memory: behind the end of y
 * Writes what it reads behind its output: nothing changes. */
void saxpy(long n, float a, const float *x, float *y)
{
    volatile float *next = y + n;
    *next = *next;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
