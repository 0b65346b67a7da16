#include "engine/syscalls/feed.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/env.h"

struct call_feed {
    pthread_mutex_t lock;           /* protects what follows */
    struct syscall_recent *waiting; /* NULL: none */
    uint64_t trace, begin_ns, latest_ns, added;
    size_t bytes;
};

struct call_feed *call_feed_new(size_t bytes)
{
    struct call_feed *f = xcalloc(1, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    f->bytes = bytes;
    return f;
}

void call_feed_begin(struct call_feed *f)
{
    pthread_mutex_lock(&f->lock);
    syscall_recent_free(f->waiting);
    f->waiting = NULL;
    f->trace++;
    f->begin_ns = env_now_ns();
    f->latest_ns = f->added = 0;
    pthread_mutex_unlock(&f->lock);
}

void call_feed_add(struct call_feed *f, const struct syscall_event *e)
{
    pthread_mutex_lock(&f->lock);
    if (!f->waiting)
        f->waiting = syscall_recent_new(f->bytes);
    syscall_recent_add(f->waiting, e);
    f->added++;
    f->latest_ns = e->end_ns > f->latest_ns ? e->end_ns : f->latest_ns;
    pthread_mutex_unlock(&f->lock);
}

struct syscall_recent *call_feed_take(struct call_feed *f, uint64_t *trace, uint64_t *begin_ns)
{
    pthread_mutex_lock(&f->lock);
    struct syscall_recent *r = f->waiting;
    f->waiting = NULL;
    *trace = f->trace;
    *begin_ns = f->begin_ns;
    pthread_mutex_unlock(&f->lock);
    return r;
}

uint64_t call_feed_latest(struct call_feed *f, uint64_t *added)
{
    pthread_mutex_lock(&f->lock);
    const uint64_t latest = f->latest_ns;
    *added = f->added;
    pthread_mutex_unlock(&f->lock);
    return latest;
}

void call_feed_free(struct call_feed *f)
{
    if (!f)
        return;
    syscall_recent_free(f->waiting);
    pthread_mutex_destroy(&f->lock);
    free(f);
}
