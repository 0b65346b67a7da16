/* signature: it was void (long, float
 * More than the caller gives. */
void saxpy(long n, double a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (float)a * x[i] + y[i];
}
