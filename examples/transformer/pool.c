#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* While tokens are made, jobs come within tens of microseconds. To sleep and be woken would take
 * as long, so a worker first spins for about 100 us. */
enum { SPINS = 5000 };

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

struct worker {
    struct pool *pool;
    int index;
    pthread_t thread;
};

struct pool {
    int threads;
    struct worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t work;
    unsigned job; /* atomic: grows with every job; all ones = leave */
    int left;     /* atomic: slices that are not done */
    void (*slice)(void *ctx, int i, int n);
    void *ctx;
};

static unsigned wait_for_job(struct pool *p, unsigned done)
{
    for (int i = 0; i < SPINS; i++, pause_cpu())
        if (__atomic_load_n(&p->job, __ATOMIC_ACQUIRE) != done)
            return __atomic_load_n(&p->job, __ATOMIC_ACQUIRE);
    pthread_mutex_lock(&p->lock);
    while (__atomic_load_n(&p->job, __ATOMIC_ACQUIRE) == done)
        pthread_cond_wait(&p->work, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return __atomic_load_n(&p->job, __ATOMIC_ACQUIRE);
}

static void *run(void *arg)
{
    struct worker *w = arg;
    unsigned done = 0;
    while ((done = wait_for_job(w->pool, done)) != ~0u) {
        w->pool->slice(w->pool->ctx, w->index, w->pool->threads);
        __atomic_sub_fetch(&w->pool->left, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

struct pool *pool_new(int threads)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->threads = 1;
    p->workers = calloc((size_t)threads, sizeof *p->workers);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    for (int i = 1; p->workers && i < threads; i++) {
        p->workers[i] = (struct worker){.pool = p, .index = i};
        if (pthread_create(&p->workers[i].thread, NULL, run, &p->workers[i]) != 0)
            break;
        p->threads++;
    }
    if (p->threads == threads)
        return p;
    pool_free(p);
    return NULL;
}

static void announce(struct pool *p, unsigned job)
{
    pthread_mutex_lock(&p->lock);
    __atomic_store_n(&p->job, job, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
}

void pool_free(struct pool *p)
{
    announce(p, ~0u);
    for (int i = 1; i < p->threads; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    free(p->workers);
    free(p);
}

int pool_threads(const struct pool *p)
{
    return p->threads;
}

void pool_run(struct pool *p, void (*slice)(void *ctx, int i, int n), void *ctx)
{
    if (p->threads == 1) {
        slice(ctx, 0, 1);
        return;
    }
    p->slice = slice;
    p->ctx = ctx;
    __atomic_store_n(&p->left, p->threads - 1, __ATOMIC_RELAXED);
    unsigned next = p->job + 1;
    announce(p, next == ~0u || next == 0 ? 1 : next);
    slice(ctx, 0, p->threads);
    while (__atomic_load_n(&p->left, __ATOMIC_ACQUIRE) > 0)
        sched_yield();
}
