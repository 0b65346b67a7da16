/* parse: goes on in the next line
 * The attribute's name is in two lines. */
static __attri\
bute__((constructor)) void prepare(void)
{
}

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
