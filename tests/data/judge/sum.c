float sum(long n, const float *x)
{
    float all = 0;
    for (long i = 0; i < n; i++)
        all += x[i];
    return all;
}
