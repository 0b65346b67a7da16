/* Products first, on the stack. */
void saxpy(long n, float a, const float *x, float *y)
{
    float products[1021];
    for (long i = 0; i < n; i++)
        products[i] = a * x[i];
    for (long i = 0; i < n; i++)
        y[i] += products[i];
}
