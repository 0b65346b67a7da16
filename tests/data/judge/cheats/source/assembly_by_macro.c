/* assembly: was not there
 * The word comes from a macro. */
#define DO asm

void saxpy(long n, float a, const float *x, float *y)
{
    DO volatile("nop");
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
