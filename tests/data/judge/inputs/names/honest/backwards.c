/* Has nothing to do with names: backwards. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = n; i-- > 0;)
        y[i] = a * x[i] + y[i];
}
