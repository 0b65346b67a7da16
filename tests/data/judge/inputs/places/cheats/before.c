/* memory: before x
 * Reads the value before its input. */
void saxpy(long n, float a, const float *x, float *y)
{
    volatile float last = x[-1];
    (void)last;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
