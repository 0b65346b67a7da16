/* constructors: to choose another
 * The same without a symbol that others see: by a relocation of its own (IRELATIVE). */
static float factor = 1;

static void add(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + factor * y[i];
}

static void *resolve(void)
{
    factor = 1;
    return (void *)add;
}

static void inner(long n, float a, const float *x, float *y) __attribute__((ifunc("resolve")));

void saxpy(long n, float a, const float *x, float *y)
{
    inner(n, a, x, y);
}
