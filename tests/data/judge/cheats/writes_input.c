/* memory: writes its input x
 * Makes its input zero, so that the other one agrees. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        ((float *)x)[i] = 0;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
