/* constructors: its _init
 * Puts code between the two halves of the compiler's _init. */
__attribute__((used)) static int started;

__attribute__((used)) static void begin(void)
{
    started = 1;
}

#if defined(__x86_64__)
__asm__(".pushsection .init,\"ax\",@progbits\n\tcall begin\n\t.popsection");
#else
__asm__(".pushsection .init,\"ax\",@progbits\n\tbl begin\n\t.popsection");
#endif

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
