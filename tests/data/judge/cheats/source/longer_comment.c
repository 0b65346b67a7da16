/* elsewhere: the attribute 'constructor'
 * What looks as if a comment began is the second line of another one. */
// goes on \
/*
static __attribute__((constructor)) void prepare(void)
{
}
// */

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
