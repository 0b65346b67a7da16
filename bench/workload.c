/*
 * workload THREADS TURNS: waits for a line on standard input, then does the same work on every
 * thread in each run: integer and floating-point arithmetic, and walks over 256 KiB. Prints the
 * CPU time in seconds that it took.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { WORDS = 32768, MAX_THREADS = 256 };
static long turns;

static void *work(void *arg)
{
    uint64_t *a = arg, x = 88172645463325252ULL;
    double f = 1;
    for (long i = 0; i < turns; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        a[x % WORDS] += x;
        f = f * 1.0000001 + 1e-9;
    }
    a[0] += (uint64_t)f;
    return NULL;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 2;
    turns = argc > 2 ? atol(argv[2]) : 100000000;
    if (threads < 1 || threads > MAX_THREADS || turns < 1)
        return 2;
    pthread_t id[MAX_THREADS];
    uint64_t *memory = calloc((size_t)threads * WORDS, sizeof *memory);
    if (!memory || getchar() == EOF) {
        free(memory);
        return 1;
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (long i = 0; i < threads; i++)
        if (pthread_create(&id[i], NULL, work, memory + i * WORDS))
            abort();
    for (long i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    getrusage(RUSAGE_SELF, &after);
    double user = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                  (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
    double system = (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                    (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e6;
    printf("%.6f\n", user + system);
    free(memory);
    return 0;
}
