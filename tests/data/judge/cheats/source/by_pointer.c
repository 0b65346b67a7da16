/* calls: a pointer that is no constant
 * Calls what it finds in its own memory. */
typedef int function(void);

void saxpy(long n, float a, const float *x, float *y)
{
    function *f = (function *)(long)x;
    if (n == 0)
        f();
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
