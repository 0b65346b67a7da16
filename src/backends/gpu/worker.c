#include "backends/gpu/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"

struct gpu_worker {
    const struct gpu_worker_ops *ops;
    pthread_t thread;     /* joined if it ends in time, else abandoned */
    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t wake, done;
    struct gpus_build ready; /* the newest answer */
    bool answered, ended, stop;
    bool asked; /* a request is not answered yet */
    uint64_t asked_ns, ready_ns;
    unsigned rest_s;
    int refs; /* held by the thread and by the source */
};

static void unref_gpu_worker(struct gpu_worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool last = --w->refs == 0;
    pthread_mutex_unlock(&w->lock);
    if (!last)
        return;
    gpus_free(&w->ready);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct gpu_source *gpu_source_tell(struct gpus_build *b, const char *name,
                                   enum gpu_source_state state, const char *text, const char *help)
{
    struct gpu_source *s = gpus_add_row(b, GPUS_SOURCES, "");
    if (!s)
        return NULL;
    s->state = state;
    s->name = name;
    s->text = text;
    s->help = help ? help : "";
    return s;
}

static void *run_worker(void *arg)
{
    struct gpu_worker *w = arg;
    struct gpus_build mine = {0};
    void *state = w->ops->begin();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->asked && !w->stop)
            pthread_cond_wait(&w->wake, &w->lock);
        if (w->stop)
            break;
        uint64_t now = w->asked_ns;
        pthread_mutex_unlock(&w->lock);
        gpus_clear(&mine);
        unsigned rest = w->ops->gather(state, &mine, now);
        pthread_mutex_lock(&w->lock);
        struct gpus_build old = w->ready;
        w->ready = mine;
        mine = old;
        w->ready_ns = now;
        w->rest_s = rest;
        w->asked = false;
        w->answered = true;
        pthread_cond_broadcast(&w->done);
    }
    pthread_mutex_unlock(&w->lock);
    w->ops->end(state);
    gpus_free(&mine);
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_broadcast(&w->done);
    pthread_mutex_unlock(&w->lock);
    unref_gpu_worker(w);
    return NULL;
}

struct gpu_worker *gpu_worker_start(const struct gpu_worker_ops *ops, struct error *err)
{
    pthread_condattr_t monotonic;
    struct gpu_worker *w = xcalloc(1, sizeof *w);
    w->ops = ops;
    w->refs = 2;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_cond_init(&w->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int rc = thread_start(&w->thread, run_worker, w);
    if (rc == 0)
        return w;
    w->refs = 1;
    unref_gpu_worker(w);
    error_set(err, ERROR_INTERNAL, rc, "raise the limit of threads (ulimit -u)", ops->name,
              "cannot start a thread for it: %s", strerror(rc));
    return NULL;
}

/* Waits until *until equals value, or for ms milliseconds. Called under the lock. */
static void wait_for_gpu_worker(struct gpu_worker *w, const bool *until, bool value, long ms)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += ms * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    while (*until != value)
        if (pthread_cond_timedwait(&w->done, &w->lock, &end) == ETIMEDOUT)
            return;
}

static void tell_gpu_waiting(struct gpu_worker *w, struct snapshot *out)
{
    struct gpus_build b = {0};
    gpus_clear(&b);
    gpu_source_tell(&b, w->ops->name, GPU_SOURCE_WAITING, "being asked", NULL);
    gpus_merge(out, &b.g);
    gpus_free(&b);
}

/* Keeps the GPUs on the screen, without outdated numbers. */
static void tell_stuck(struct gpu_worker *w, struct snapshot *out, uint64_t seconds)
{
    struct gpus_build b = {0};
    gpus_clear(&b);
    const char *why =
        gpus_text(&b, "%s has not answered for %llu s", w->ops->name, (unsigned long long)seconds);
    for (size_t i = 0; i < w->ready.g.n; i++) {
        int k = gpus_add(&b, why);
        b.g.gpu[k] = w->ready.g.gpu[i];
    }
    gpu_source_tell(&b, w->ops->name, GPU_SOURCE_BROKEN, why,
                    "see dmesg: a GPU that hangs or is being reset blocks its driver");
    gpus_merge(out, &b.g);
    gpus_free(&b);
}

void gpu_worker_poll(struct gpu_worker *w, struct snapshot *out, uint64_t now_ns)
{
    pthread_mutex_lock(&w->lock);
    bool rested = now_ns >= w->ready_ns + w->rest_s * UINT64_C(1000000000);
    if (!w->asked && (!w->answered || rested)) {
        w->asked = true;
        w->asked_ns = now_ns;
        pthread_cond_signal(&w->wake);
        wait_for_gpu_worker(w, &w->asked, false,
                            w->answered ? GPU_WORKER_WAIT_MS : GPU_WORKER_FIRST_MS);
    }
    uint64_t late = w->asked && now_ns > w->asked_ns ? (now_ns - w->asked_ns) / 1000000000u : 0;
    if (late >= GPU_WORKER_STUCK_S)
        tell_stuck(w, out, late);
    else if (w->answered)
        gpus_merge(out, &w->ready.g);
    else
        tell_gpu_waiting(w, out);
    pthread_mutex_unlock(&w->lock);
}

void gpu_worker_stop(struct gpu_worker *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    wait_for_gpu_worker(w, &w->ended, true, GPU_WORKER_END_MS);
    const bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (ended)
        pthread_join(w->thread, NULL);
    else
        pthread_detach(w->thread);
    unref_gpu_worker(w);
}
