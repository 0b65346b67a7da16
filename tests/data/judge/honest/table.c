/* A constant table. */
static const float one[4] = {1, 1, 1, 1};

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + one[i & 3] * y[i];
}
