/* Threads that work beside the front end. Signals are handled by the front end's own thread. */
#pragma once

#include <pthread.h>

/* Starts a thread with all signals blocked. If thread is NULL, it is detached. Otherwise the caller
 * joins it, and it inherits our watch (base/watch.h). Returns 0 or a positive errno. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
