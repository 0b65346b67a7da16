/* parse: other spellings of signs
 * A line of the preprocessor that does not look like one. */
%:define SKIP 1

void saxpy(long n, float a, const float *x, float *y)
{
    if (SKIP && n < 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
