/* crash: it
 * Looks for old answers by going down the stack until there is no more. */
static long deeper(volatile char *above, long n)
{
    volatile char here[1 << 16];
    here[0] = above[0];
    return n <= 0 ? here[0] : deeper(here, n - 1) + here[0];
}

void saxpy(long n, float a, const float *x, float *y)
{
    volatile char begin = 0;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i] + (float)deeper(&begin, 1000000);
}
