#include "backends/prometheus/source_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/list.h"
#include "base/print.h"
#include "base/thread.h"

enum { REPORTS_MAX = 4 << 20 }; /* more wait for nobody: the fleet is far behind */

struct report {
    char host[FLEET_NAME];
    char reason[FLEET_REASON]; /* of a lost host; "": a sample */
    bool past;
    float v[FLEET_METRICS];
    uint64_t wall_ns;
};

void source_thread_init(struct source_thread *t)
{
    pthread_mutex_init(&t->lock, NULL);
    t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void *run_source_thread(void *arg)
{
    struct source_thread *t = arg;
    t->work(t);
    return NULL;
}

int source_thread_start(struct source_thread *t, struct error *err)
{
    const int code = thread_start(&t->thread, run_source_thread, t);
    t->threaded = code == 0;
    if (code)
        return error_set(err, ERROR_INTERNAL, code, NULL, "ask over HTTP", "%s", strerror(code));
    return 0;
}

void source_thread_end(struct source_thread *t)
{
    t->ends = true;
    if (t->threaded) {
        http_wake(t->gets);
        pthread_join(t->thread, NULL);
    }
    http_gets_free(t->gets);
    if (t->fd >= 0)
        close(t->fd);
    pthread_mutex_destroy(&t->lock);
    free(t->reports);
}

static void add_host_report(struct source_thread *t, const struct report *r)
{
    pthread_mutex_lock(&t->lock);
    if (t->n < REPORTS_MAX)
        LIST_ADD(t->reports, t->n, t->cap, *r);
    pthread_mutex_unlock(&t->lock);
    eventfd_write(t->fd, 1);
}

void report_sample(struct source_thread *t, const char *host, const struct fleet_sample *s,
                   bool past)
{
    struct report r = {.past = past, .wall_ns = s->wall_ns};
    print_line(r.host, sizeof r.host, "%s", host);
    for (int m = 0; m < FLEET_METRICS; m++)
        r.v[m] = (float)s->v[m];
    add_host_report(t, &r);
}

void report_lost(struct source_thread *t, const char *host, const char *why)
{
    struct report r = {.past = false};
    print_line(r.host, sizeof r.host, "%s", host);
    print_line(r.reason, sizeof r.reason, "%s", *why ? why : "no answer");
    add_host_report(t, &r);
}

static void take_host_report(struct source_thread *t, struct fleet *f, const struct report *r,
                             uint64_t now_ns)
{
    struct error ignored = ERROR_INIT;
    struct fleet_sample s;
    const int host = fleet_add_host(f, r->host, t->interval_s, &ignored);
    if (r->reason[0]) {
        fleet_set_state(f, host, FLEET_LOST, "%s", r->reason);
        return;
    }
    fleet_sample_begin(&s, r->wall_ns);
    for (int m = 0; m < FLEET_METRICS; m++)
        s.v[m] = (double)r->v[m];
    fleet_take_sample(f, host, &s, r->past ? 0 : now_ns);
}

int source_thread_fd(const struct fleet_source *self)
{
    return ((const struct source_thread *)self)->fd;
}

uint64_t source_thread_poll(struct fleet_source *self, struct fleet *f, uint64_t now_ns)
{
    struct source_thread *t = (struct source_thread *)self;
    eventfd_t count;
    eventfd_read(t->fd, &count);
    pthread_mutex_lock(&t->lock);
    struct report *list = t->reports;
    const size_t n = t->n;
    t->reports = NULL;
    t->n = t->cap = 0;
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < n; i++)
        take_host_report(t, f, &list[i], now_ns);
    free(list);
    return UINT64_MAX;
}
