/*
 * A program whose time is known: main calls outer, outer calls hot and, for a third of the work of
 * hot, warm. Arguments: how to do it ("plain", "fork", "thread", "exec", "delete"), and work in
 * millions of rounds. Compiled by tests/backends/functions, with and without frame pointers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void hot(unsigned long n)
{
    unsigned long x = sink | 1;
    for (unsigned long i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

__attribute__((noinline)) static void warm(unsigned long n)
{
    unsigned long x = sink | 1;
    for (unsigned long i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

__attribute__((noinline)) static void outer(unsigned long n)
{
    for (int i = 0; i < 10; i++) {
        hot(n / 10 / 4 * 3);
        warm(n / 10 / 4);
    }
    __asm__ volatile("" ::: "memory"); /* no tail call: outer stays on the stack */
}

__attribute__((noinline)) static void *in_thread(void *n)
{
    outer(*(unsigned long *)n);
    return n;
}

__attribute__((noinline)) static void in_child(unsigned long n)
{
    outer(n);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    char *end;
    unsigned long n = (argc > 2 ? strtoul(argv[2], &end, 10) : 200) * 1000000;
    if (strcmp(how, "exec") == 0) {
        execl(argv[0], argv[0], "plain", argc > 2 ? argv[2] : "200", (char *)NULL);
        return 1;
    }
    if (strcmp(how, "fork") == 0) {
        pid_t pid = fork();
        if (pid == 0) {
            in_child(n);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    } else if (strcmp(how, "thread") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, in_thread, &n);
        pthread_join(t, NULL);
    } else {
        if (strcmp(how, "delete") == 0)
            unlink(argv[0]);
        outer(n);
    }
    return 0;
}
