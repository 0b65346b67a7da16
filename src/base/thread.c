#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    pthread_t own;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&own, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0 && thread)
        *thread = own;
    else if (rc == 0)
        pthread_detach(own);
    return rc;
}
