/* A rest by a switch. */
void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    switch (n & 3) {
    case 3:
        y[i] = a * x[i] + y[i], i++; /* fall through */
    case 2:
        y[i] = a * x[i] + y[i], i++; /* fall through */
    case 1:
        y[i] = a * x[i] + y[i], i++;
    }
    for (; i < n; i++)
        y[i] = a * x[i] + y[i];
}
