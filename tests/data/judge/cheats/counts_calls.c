/* state: writes static data
 * Counts its calls, to know the check from the measurement. */
static int calls;

void saxpy(long n, float a, const float *x, float *y)
{
    if (++calls > 15)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
