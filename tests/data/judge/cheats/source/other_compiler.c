/* parse: names made of pieces
 * A name that only one compiler makes. */
#define NAME_(x) take_##x
#define NAME(x) NAME_(x)
#define take_14 0
#define take_19 0
#define take___clang_major__ 0

void saxpy(long n, float a, const float *x, float *y)
{
    a += NAME(__clang_major__);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
