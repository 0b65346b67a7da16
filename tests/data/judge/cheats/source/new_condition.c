/* parse: what stands under #if changed
 * What libclang reads is not what gcc builds. */
void saxpy(long n, float a, const float *x, float *y)
{
#ifdef __SSE99__
    return;
#endif
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
