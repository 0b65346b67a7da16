/* system-calls: the system call
 * Asks for the time by the numbers of x32. */
void saxpy(long n, float a, const float *x, float *y)
{
#if defined(__x86_64__)
    long t[2], rc;
    __asm__ volatile("syscall" : "=a"(rc) : "a"(0x40000000 + 228), "D"(1), "S"(t) : "rcx", "r11", "memory");
#endif
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
