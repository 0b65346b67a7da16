/* same-bits: different bits of y
 * Adds noise within the tolerance that depends on where its data is. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i] + (float)((unsigned long)y >> 12 & 0xff) * 1e-9f;
}
