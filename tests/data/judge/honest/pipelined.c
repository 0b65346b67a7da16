/* Loads one step ahead. */
void saxpy(long n, float a, const float *x, float *y)
{
    float next = x[0];
    for (long i = 0; i < n; i++) {
        const float now = next;
        next = i + 1 < n ? x[i + 1] : 0;
        y[i] = a * now + y[i];
    }
}
