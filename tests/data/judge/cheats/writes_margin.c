/* memory: behind the end of y
 * Writes into the bytes between its output and the end of the page. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
    ((char *)(y + n))[0] = 1;
}
