/* c = a * b: float matrices of n rows and n columns. At -O2 GCC takes one number at a time. */
void matmul(long n, const float *a, const float *b, float *c);

void matmul(long n, const float *a, const float *b, float *c)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
