/* Threads that do the same at once, each on a CPU of its own. */
#ifndef ROOFTOP_BACKENDS_ROOFS_CREW_H
#define ROOFTOP_BACKENDS_ROOFS_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { CREW_CPUS_MAX = 1024 };
struct crew {
    pthread_mutex_t gate; /* held until all threads are there */
    bool given_up;        /* not all could be started */
    int cpu[CREW_CPUS_MAX];
    uint32_t n;                          /* threads */
    void (*work)(void *own, uint32_t i); /* i: of the thread */
    void *own;
};

/* Sets cpu[] to the CPUs that the process may use. Returns their number. */
uint32_t crew_find_cpus(struct crew *c);
/* Runs work on the first n CPUs, and waits for all. Returns 0 or -EAGAIN: no thread to be had. */
int crew_run(struct crew *c);

#endif
