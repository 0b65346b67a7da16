/* memory: before y
 * Writes far before its output. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
    y[-1000] = 1;
}
