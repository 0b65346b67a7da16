/* memory: (n = 
 * Does the work of the length that the harness says. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < 1021; i++)
        y[i] = a * x[i] + y[i];
}
