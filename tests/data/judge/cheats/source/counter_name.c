/* parse: __COUNTER__ differs
 * Another number in each compiler. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (__COUNTER__ > 3)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
