/* elsewhere: the attribute '__constructor__'
 * The attribute comes from a macro. */
#define FIRST __attribute__((__constructor__))

FIRST static void prepare(void)
{
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
