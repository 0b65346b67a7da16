/* Blocks that must be aligned, as the harness says they are. */
typedef float block __attribute__((vector_size(64), may_alias));

void saxpy(long n, float a, const float *x, float *y)
{
    const block *from = (const block *)x;
    block *to = (block *)y;
    for (long i = 0; i < n / 16; i++)
        to[i] = a * from[i] + to[i];
    for (long i = n / 16 * 16; i < n; i++)
        y[i] = a * x[i] + y[i];
}
