/* build: does not build
 * Does not compile. */
void saxpy(long n, float a, const float *x, float *y)
{
    what is this
}
