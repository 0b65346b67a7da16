/* elsewhere: the attribute 'constructor'
 * The end of this comment is in two lines. *\
/
static __attribute__((constructor)) void prepare(void)
{
}
/* */

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
