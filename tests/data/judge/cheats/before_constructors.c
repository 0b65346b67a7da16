/* constructors: beside the compiler's own: 1
 * Works when it is loaded, by an entry that it writes itself. */
static float table[1024];

static void begin(void)
{
    for (int i = 0; i < 1024; i++)
        table[i] = (float)i;
}

__attribute__((section(".init_array"), used)) static void (*const entry)(void) = begin;

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
