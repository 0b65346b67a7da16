/* Threads that do the front end's work beside it. Signals belong to the front end's own thread. */
#ifndef ROOFTOP_BASE_THREAD_H
#define ROOFTOP_BASE_THREAD_H

#include <pthread.h>

/* Starts one with all signals blocked. thread: to be joined, it has our watch (base/watch.h); NULL:
 * nobody will join it. 0 or a positive errno. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
