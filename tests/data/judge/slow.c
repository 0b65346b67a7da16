/* The work of the baseline eight times: what is written before the last time does not count. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++) {
        volatile float product = 0;
        for (int k = 0; k < 200; k++)
            product = a * x[i];
        y[i] = product + y[i];
    }
}
