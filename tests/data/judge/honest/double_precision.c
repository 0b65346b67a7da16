/* Computes with more precision. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (float)((double)a * x[i] + y[i]);
}
