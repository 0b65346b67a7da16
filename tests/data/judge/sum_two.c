float sum(long n, const float *x)
{
    float even = 0, odd = 0;
    for (long i = 0; i + 1 < n; i += 2) {
        even += x[i];
        odd += x[i + 1];
    }
    return even + odd + (n % 2 ? x[n - 1] : 0);
}
