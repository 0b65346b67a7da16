/* output: is nan
 * Gives NaN, which equals nothing and differs from nothing. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)a, (void)x;
    for (long i = 0; i < n; i++)
        y[i] = __builtin_nanf("");
}
