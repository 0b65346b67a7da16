/* state: writes static data
 * Has a switch that others could set. */
int fast;

void saxpy(long n, float a, const float *x, float *y)
{
    fast = 1;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
