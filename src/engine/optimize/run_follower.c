#include "engine/optimize/run_follower.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"

enum { PAUSE_NS = 250000000 };

/* The thread and the screen share it; the last of them frees it. */
struct run_follower {
    pthread_mutex_t mutex; /* of all below, but not of look */
    pthread_cond_t changed;
    int fd, refs;
    bool looks, ends, asked; /* asked: the wish is a new one */
    struct run_request request;
    struct run_snapshot *snapshot;
    struct run_look *look; /* the thread's */
};

static void drop_follower(struct run_follower *f)
{
    pthread_mutex_lock(&f->mutex);
    const int left = --f->refs;
    pthread_mutex_unlock(&f->mutex);
    if (left)
        return;
    run_look_free(f->look);
    run_snapshot_free(f->snapshot);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    close(f->fd);
    free(f);
}

static void publish_run_snapshot(struct run_follower *f, struct run_snapshot *p)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&f->mutex);
    struct run_snapshot *before = f->snapshot;
    f->snapshot = p;
    pthread_mutex_unlock(&f->mutex);
    run_snapshot_free(before);
    const ssize_t ignored = write(f->fd, &one, sizeof one);
    (void)ignored;
}

/* Waits until the next look is due; false: the follower ends. at_once: there is more to read. */
static bool wait_for_turn(struct run_follower *f, bool at_once, struct run_request *request)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PAUSE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&f->mutex);
    int rc = at_once ? ETIMEDOUT : 0;
    while (!f->ends && !f->asked && (!f->looks || rc != ETIMEDOUT))
        rc = f->looks ? pthread_cond_timedwait(&f->changed, &f->mutex, &until)
                      : pthread_cond_wait(&f->changed, &f->mutex);
    f->asked = false;
    *request = f->request;
    const bool goes_on = !f->ends;
    pthread_mutex_unlock(&f->mutex);
    return goes_on;
}

static void *follow_thread(void *arg)
{
    struct run_follower *f = arg;
    struct run_request request;
    bool more = false;
    while (wait_for_turn(f, more, &request)) {
        struct run_snapshot *p = run_look(f->look, &request, &more);
        if (p)
            publish_run_snapshot(f, p);
    }
    drop_follower(f);
    return NULL;
}

int run_follower_new(struct run_follower **out, const char *folder, struct error *err)
{
    struct run_follower *f = xcalloc(1, sizeof *f);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, &attr);
    pthread_condattr_destroy(&attr);
    f->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f->refs = 2;
    f->look = run_look_new(folder);
    *out = f;
    const int rc = thread_start(NULL, follow_thread, f);
    if (rc == 0)
        return 0;
    f->refs = 1; /* nobody else has it */
    drop_follower(f);
    *out = NULL;
    return error_set(err, ERROR_INTERNAL, rc, NULL, "follow a run", "no thread: %s", strerror(rc));
}

void run_follower_free(struct run_follower *f)
{
    if (!f)
        return;
    pthread_mutex_lock(&f->mutex);
    f->ends = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    drop_follower(f);
}

int run_follower_fd(const struct run_follower *f)
{
    return f->fd;
}

static bool same_request(const struct run_request *a, const struct run_request *b)
{
    return strcmp(a->folder, b->folder) == 0 && a->opened == b->opened && a->record == b->record;
}

void run_follower_want(struct run_follower *f, bool looks, const struct run_request *request)
{
    pthread_mutex_lock(&f->mutex);
    if (looks && (!f->looks || !same_request(&f->request, request))) {
        f->request = *request;
        f->asked = true;
    }
    f->looks = looks;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

struct run_snapshot *run_follower_take(struct run_follower *f)
{
    uint64_t n;
    const ssize_t ignored = read(f->fd, &n, sizeof n);
    (void)ignored;
    pthread_mutex_lock(&f->mutex);
    struct run_snapshot *p = f->snapshot;
    f->snapshot = NULL;
    pthread_mutex_unlock(&f->mutex);
    return p;
}
