/* static-data: table keeps its value
 * Fills a table in the first call. */
void saxpy(long n, float a, const float *x, float *y)
{
    static float table[4];
    table[n & 3] = a;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
