/* calls: the stack of its callers
 * Asks who calls it. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (!__builtin_return_address(0))
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
