/* A library with system calls of its own, and, without LIBRARY, a program that opens it twice. */
#if defined(LIBRARY)
long own_calls(int n);
long own_calls(int n)
{
    long result = 0;
    for (int i = 0; i < n; i++)
        __asm__ volatile("mov $110, %%eax\n\tsyscall" : "=a"(result) : : "rcx", "r11", "memory");
    return result;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 2 && argc > 1; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        long (*own)(int) = NULL;
        if (!library)
            return 1;
        *(void **)&own = dlsym(library, "own_calls");
        printf("%d\n", own(1000) == getppid());
        dlclose(library);
    }
    return 0;
}
#endif
