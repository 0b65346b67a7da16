/* crash: it
 * Asks for the time by the calls of i386. */
void saxpy(long n, float a, const float *x, float *y)
{
#if defined(__x86_64__)
    long rc;
    __asm__ volatile("int $0x80" : "=a"(rc) : "a"(13), "b"(0) : "memory");
#endif
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
