/* Threads that make calls and end in different ways: threads.c NUMBER [together]. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 5000, CALLS = 20, STACK = 65536 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started;

static void *make_calls(void *arg)
{
    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    if ((size_t)arg % 3 == 0)
        syscall(SYS_exit, 0);
    return arg;
}

static void *wait_and_call(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return make_calls(arg);
}

int main(int argc, char **argv)
{
    static pthread_t threads[MOST];
    pthread_attr_t small;
    int n = argc > 1 ? atoi(argv[1]) : 1, made = 0, joined = 0;
    const int together = argc > 2 && strcmp(argv[2], "together") == 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (int i = 0; i < n && i < MOST; i++)
        made += pthread_create(&threads[i], &small, together ? wait_and_call : make_calls,
                               (void *)(size_t)i) == 0; /* NOLINT: a number */
    pthread_mutex_lock(&lock);
    started = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < made; i++)
        joined += pthread_join(threads[i], NULL) == 0;
    printf("made %d joined %d\n", made, joined);
    return joined == n ? 0 : 1;
}
