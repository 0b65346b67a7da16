/* constructors: to choose another
 * Works when its function is looked for: a resolver runs while the object is loaded. */
static int worked;

static void add(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

static void *resolve(void)
{
    worked = 1;
    return (void *)add;
}

void saxpy(long n, float a, const float *x, float *y) __attribute__((ifunc("resolve")));
