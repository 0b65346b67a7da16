/* Prefetches, also what is behind the end: that is no access. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++) {
        __builtin_prefetch(x + i + 64);
        y[i] = a * x[i] + y[i];
    }
}
