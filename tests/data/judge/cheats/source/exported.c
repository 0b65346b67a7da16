/* elsewhere: it is not static
 * Its own malloc, for everybody. */
void *malloc(unsigned long n)
{
    return (void *)n;
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
