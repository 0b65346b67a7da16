#include "engine/fleet/fleet_run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/thread.h"

enum { SOURCES_MAX = 8 };

struct fleet_run {
    struct fleet_source_of sources[SOURCES_MAX];
    size_t n;
    uint64_t interval_ns, next_ns;
    int woken, ready; /* eventfd: the thread shall look at waits and ends; a picture is there */
    bool threaded;
    atomic_bool waits; /* fleet_run_config.waits, until it is asked */
    pthread_t thread;
    pthread_mutex_t lock; /* of the fleet and of ends */
    struct fleet *fleet;
    bool ends;
    /* of the picture: never held for long, so that taking one does not wait */
    pthread_mutex_t shown;
    struct fleet_picture *picture; /* NULL: it was taken */
};

/* Lets the sources work, and makes a picture if it is time. Returns when to be called again. */
static uint64_t step_fleet(struct fleet_run *r)
{
    uint64_t now = env_now_ns(), next = r->next_ns;
    for (size_t i = 0; i < r->n; i++) {
        const uint64_t due = r->sources[i].ops->poll(r->sources[i].self, r->fleet, now);
        next = due < next ? due : next;
    }
    if (now < r->next_ns)
        return next;
    struct fleet_picture *fresh = fleet_picture_new(r->fleet, now, env_wall_ns());
    pthread_mutex_lock(&r->shown);
    struct fleet_picture *old = r->picture;
    r->picture = fresh;
    pthread_mutex_unlock(&r->shown);
    fleet_picture_unref(old);
    r->next_ns += r->interval_ns;
    if (r->next_ns <= now)
        r->next_ns = now + r->interval_ns;
    eventfd_write(r->ready, 1);
    return r->next_ns < next ? r->next_ns : next;
}

/* Waits for the sources' descriptors, at most until that time. */
static void wait_for_sources(struct fleet_run *r, uint64_t until)
{
    eventfd_t ignored;
    struct pollfd fds[SOURCES_MAX + 1] = {{.fd = r->woken, .events = POLLIN}};
    for (size_t i = 0; i < r->n; i++)
        fds[i + 1] =
            (struct pollfd){.fd = r->sources[i].ops->fd(r->sources[i].self), .events = POLLIN};
    const uint64_t now = env_now_ns();
    const uint64_t ms = until > now ? (until - now + 999999) / 1000000 : 0;
    poll(fds, r->n + 1, ms > 1000 ? 1000 : (int)ms);
    eventfd_read(r->woken, &ignored);
}

static void *run_fleet(void *arg)
{
    struct fleet_run *r = arg;
    for (bool ends = false; !ends;) {
        pthread_mutex_lock(&r->lock);
        const uint64_t due = r->waits ? UINT64_MAX : step_fleet(r);
        ends = r->ends;
        pthread_mutex_unlock(&r->lock);
        if (!ends)
            wait_for_sources(r, due);
    }
    /* what the sources started belongs to this thread: children end with it */
    for (size_t i = 0; i < r->n; i++)
        r->sources[i].ops->stop(r->sources[i].self);
    r->n = 0;
    return NULL;
}

static int begin_fleet(struct fleet_run *r, const struct fleet_run_config *c, struct error *err)
{
    int rc = 0;
    r->woken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    r->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->woken < 0 || r->ready < 0)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "watch the hosts", "%s",
                         strerror(errno));
    for (size_t i = 0; i < r->n && rc == 0; i++)
        rc = r->sources[i].ops->start(r->sources[i].self, r->fleet, err);
    r->interval_ns = (uint64_t)(c->interval_s * 1e9);
    r->next_ns = env_now_ns();
    if (rc != 0)
        return rc;
    const int code = thread_start(&r->thread, run_fleet, r);
    r->threaded = code == 0;
    if (code)
        return error_set(err, ERROR_INTERNAL, code, NULL, "watch the hosts", "%s", strerror(code));
    return 0;
}

int fleet_run_start(struct fleet_run **out, const struct fleet_run_config *c, struct error *err)
{
    struct fleet_run *r = xcalloc(1, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->shown, NULL);
    r->fleet = fleet_new(c->history);
    r->waits = c->waits;
    for (size_t i = 0; i < c->nsources; i++) {
        if (r->n < SOURCES_MAX)
            r->sources[r->n++] = c->sources[i];
        else
            c->sources[i].ops->stop(c->sources[i].self);
    }
    const int rc = begin_fleet(r, c, err);
    if (rc != 0) {
        fleet_run_end(r);
        return rc;
    }
    *out = r;
    return 0;
}

void fleet_run_ask(struct fleet_run *r)
{
    if (atomic_exchange(&r->waits, false))
        eventfd_write(r->woken, 1);
}

int fleet_run_fd(const struct fleet_run *r)
{
    return r->ready;
}

struct fleet_picture *fleet_run_take(struct fleet_run *r)
{
    eventfd_t count;
    eventfd_read(r->ready, &count);
    pthread_mutex_lock(&r->shown);
    struct fleet_picture *p = r->picture;
    r->picture = NULL;
    pthread_mutex_unlock(&r->shown);
    return p;
}

size_t fleet_run_history(struct fleet_run *r, int host, enum fleet_metric m, size_t max, double *v,
                         uint64_t *wall_ns)
{
    pthread_mutex_lock(&r->lock);
    const size_t n = fleet_history(r->fleet, host, m, max, v, wall_ns);
    pthread_mutex_unlock(&r->lock);
    return n;
}

size_t fleet_run_times(struct fleet_run *r, int host, size_t max, uint64_t *wall_ns)
{
    pthread_mutex_lock(&r->lock);
    const size_t n = fleet_times(r->fleet, host, max, wall_ns);
    pthread_mutex_unlock(&r->lock);
    return n;
}

struct fleet_picture *fleet_run_at(struct fleet_run *r, uint64_t wall_ns)
{
    pthread_mutex_lock(&r->lock);
    struct fleet_picture *p = fleet_picture_at(r->fleet, wall_ns);
    pthread_mutex_unlock(&r->lock);
    return p;
}

bool fleet_run_span(struct fleet_run *r, uint64_t *oldest_ns, uint64_t *newest_ns)
{
    pthread_mutex_lock(&r->lock);
    const bool some = fleet_span(r->fleet, oldest_ns, newest_ns);
    pthread_mutex_unlock(&r->lock);
    return some;
}

char **fleet_run_visit(struct fleet_run *r, int host)
{
    char **words = NULL;
    pthread_mutex_lock(&r->lock);
    const char *name = fleet_host_name(r->fleet, host);
    for (size_t i = 0; i < r->n && !words; i++)
        if (r->sources[i].ops->visit)
            words = r->sources[i].ops->visit(r->sources[i].self, name);
    pthread_mutex_unlock(&r->lock);
    return words;
}

bool fleet_run_visits(const struct fleet_run *r)
{
    bool some = false;
    for (size_t i = 0; i < r->n; i++)
        some = some || r->sources[i].ops->visit;
    return some;
}

void fleet_run_end(struct fleet_run *r)
{
    if (!r)
        return;
    if (r->threaded) {
        pthread_mutex_lock(&r->lock);
        r->ends = true;
        pthread_mutex_unlock(&r->lock);
        eventfd_write(r->woken, 1);
        pthread_join(r->thread, NULL);
    }
    for (size_t i = 0; i < r->n; i++)
        r->sources[i].ops->stop(r->sources[i].self);
    fleet_picture_unref(r->picture);
    fleet_free(r->fleet);
    if (r->woken >= 0)
        close(r->woken);
    if (r->ready >= 0)
        close(r->ready);
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->shown);
    free(r);
}
