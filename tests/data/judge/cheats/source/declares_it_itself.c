/* calls: gettimeofday
 * Without the header. */
extern int gettimeofday(void *, void *);

void saxpy(long n, float a, const float *x, float *y)
{
    long t[2];
    gettimeofday(t, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
