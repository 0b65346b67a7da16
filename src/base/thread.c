#include "base/thread.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/watch.h"

struct start {
    void *(*run)(void *arg);
    void *arg;
    const struct watch *watch;
};

static void *run_watched(void *start)
{
    struct start s = *(struct start *)start;
    free(start);
    watch_set(s.watch);
    return s.run(s.arg);
}

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    pthread_t own;
    sigset_t all, before;
    struct start *s = xcalloc(1, sizeof *s);
    /* a detached thread could outlive our watch, so it gets none */
    *s = (struct start){run, arg, thread ? watch_get() : NULL};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&own, NULL, run_watched, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        free(s);
    else if (thread)
        *thread = own;
    else
        pthread_detach(own);
    return rc;
}
