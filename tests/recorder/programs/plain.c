/* Threads that call, and a child process, for C libraries and ABIs of all kinds. It prints how
 * often it called getppid. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 10, CALLS = 300 };

static void *call(void *unused)
{
    for (int i = 0; i < CALLS; i++)
        getppid();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    int status = -1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/echo", "echo", "child", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("status %d getppid %d\n", status, THREADS * CALLS);
    return 0;
}
