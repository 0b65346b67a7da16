/* Calls by int $0x80 in a 64-bit program, the kernel's numbers of 32-bit ones: also one that makes
 * a process. */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORK = 2, GETPPID = 64, CALLS = 20 };

static long call(long number)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(0), "c"(0), "d"(0) : "memory");
    return result;
}

int main(void)
{
    int same = 0;
    for (int i = 0; i < CALLS / 2; i++)
        same += call(GETPPID) == getppid();
    const long child = call(FORK);
    if (child == 0) {
        getppid();
        _exit(0);
    }
    waitpid((pid_t)child, NULL, 0);
    for (int i = 0; i < CALLS / 2; i++)
        same += call(GETPPID) > 0;
    printf("%d of %d\n", same, CALLS);
    return 0;
}
