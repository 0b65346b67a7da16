#include "backends/replay/replay_impl.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"

enum { THREADS_MAX = 8 };

struct replay_workers {
    pthread_t threads[THREADS_MAX];
    unsigned n; /* in addition to the caller */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t round; /* number of the job; changes with each */
    unsigned busy;
    bool stop;
    /* the job: */
    void (*item)(void *ctx, size_t i);
    void *ctx;
    size_t items;
    _Atomic size_t next;
};

static void *work_until_closed(void *arg)
{
    struct replay_workers *w = arg;
    uint64_t seen = 0;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->round == seen && !w->stop)
            pthread_cond_wait(&w->begin, &w->lock);
        if (w->stop)
            break;
        seen = w->round;
        pthread_mutex_unlock(&w->lock);
        for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->items;)
            w->item(w->ctx, i);
        pthread_mutex_lock(&w->lock);
        if (--w->busy == 0)
            pthread_cond_signal(&w->end);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct replay_workers *replay_workers_start(unsigned threads)
{
    struct replay_workers *w = xcalloc(1, sizeof *w);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned wanted = threads;
    if (!wanted)
        wanted = cpus > 0 ? (unsigned)cpus : 1;
    wanted = wanted > THREADS_MAX ? THREADS_MAX : wanted;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->begin, NULL);
    pthread_cond_init(&w->end, NULL);
    while (w->n + 1 < wanted && thread_start(&w->threads[w->n], work_until_closed, w) == 0)
        w->n++;
    return w;
}

void replay_workers_stop(struct replay_workers *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->begin);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->n; i++)
        pthread_join(w->threads[i], NULL);
    pthread_cond_destroy(&w->begin);
    pthread_cond_destroy(&w->end);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* A single block is done by the caller: waking threads would take longer. */
void replay_workers_run(struct replay_workers *w, size_t n, void (*item)(void *ctx, size_t i),
                        void (*tick)(void *ctx), void *ctx)
{
    const bool share = w->n && n > 1;
    w->item = item;
    w->ctx = ctx;
    w->items = n;
    atomic_store(&w->next, 0);
    if (share) {
        pthread_mutex_lock(&w->lock);
        w->round++;
        w->busy = w->n;
        pthread_cond_broadcast(&w->begin);
        pthread_mutex_unlock(&w->lock);
    }
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < n;) {
        item(ctx, i);
        if (tick)
            tick(ctx);
    }
    if (!share)
        return;
    pthread_mutex_lock(&w->lock);
    while (w->busy)
        pthread_cond_wait(&w->end, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

unsigned replay_workers_threads(const struct replay_workers *w)
{
    return w->n + 1;
}
