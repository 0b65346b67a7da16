/* Vector types of the compiler. */
typedef float four __attribute__((vector_size(16), aligned(4)));

void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    for (; i + 4 <= n; i += 4)
        *(four *)(y + i) = a * *(const four *)(x + i) + *(four *)(y + i);
    for (; i < n; i++)
        y[i] = a * x[i] + y[i];
}
