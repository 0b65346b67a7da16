#include "backends/functions/sampler_impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "base/arena.h"
#include "base/env.h"

enum {
    QUEUE_BYTES_MAX = 64 << 20,
    LARGE = 256 << 10,   /* blocks of this size go back to the system when they are freed */
    PASS_MS = 1000,      /* rings are checked this often even without a wake-up */
    OPEN_WAIT_MS = 30,   /* the first snapshot waits this long until the sampled event is known */
    STOP_WAIT_MS = 200,  /* for a worker that reads a large file */
    SETTLE_NS = 2000000, /* after this time a record is certainly in its ring */
};

struct sampler_run {
    struct tap_config config;
    struct target target; /* config.target points here */
    struct perf_context context;
    struct tap tap;
    struct sampler_worker *worker;
    struct batch_queue queue;
    int bell; /* eventfd: wakes the reader */
    pthread_t reader, resolver;
    bool reads, resolves; /* which threads run */
    _Atomic bool quit;
    _Atomic uint64_t asked;      /* number of the last request for a pass */
    _Atomic bool all;            /* that request is for all records */
    _Atomic uint64_t reached_ns; /* time of the last folded record */
    uint64_t covered_ns;         /* profiles were collected up to this time */

    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t news;
    /* the tap is open; the resolver is done; the resolver frees the run */
    bool opened, ended, abandoned;
    uint64_t answered; /* the last request that was answered */
    uint64_t until_ns; /* everything up to this time is folded */
};

static void free_run(struct sampler_run *r)
{
    worker_free(r->worker);
    batch_queue_destroy(&r->queue);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->news);
    target_free(&r->target);
    free(r);
}

/* --- the reader thread --- */

struct sampler_pass {
    struct batch *batch;
    size_t room; /* bytes that still fit into the queue */
};

static void keep_sampled_record(void *ctx, const void *record, size_t size)
{
    struct sampler_pass *p = ctx;
    const struct perf_event_header *h = record;
    /* Mappings and the like are small and few, and could not be recovered: they get twice the
     * space. */
    if (p->batch->used + size > p->room * (h->type == PERF_RECORD_SAMPLE ? 1 : 2)) {
        p->batch->lost++;
        return;
    }
    batch_add(p->batch, record, size);
}

static void pass_over_rings(struct sampler_run *r, void *scratch)
{
    struct sampler_pass p = {.batch = xcalloc(1, sizeof *p.batch)};
    size_t queued = batch_queue_bytes(&r->queue);
    p.room = queued < QUEUE_BYTES_MAX ? QUEUE_BYTES_MAX - queued : 0;
    p.batch->request = atomic_load(&r->asked);
    bool all = atomic_load(&r->all);
    uint64_t now = env_now_ns();
    p.batch->until = now > SETTLE_NS ? now - SETTLE_NS : 0;
    if (all)
        p.batch->until = UINT64_MAX;
    for (size_t i = 0; i < r->tap.nrings; i++) {
        struct perf_ring *ring = &r->tap.rings[i].ring;
        uint64_t damaged = ring->damaged;
        if (r->tap.rings[i].mapped)
            perf_ring_read(ring, scratch, keep_sampled_record, &p);
        p.batch->lost += ring->damaged - damaged;
    }
    batch_queue_put(&r->queue, p.batch);
}

static void configure_worker(struct sampler_run *r)
{
    worker_configure(r->worker, &(struct worker_config){.callgraph = r->tap.callgraph,
                                                        .nregs = r->tap.nregs,
                                                        .only = r->tap.only,
                                                        .nonly = r->tap.nonly,
                                                        .keep_idle = !r->tap.cpu_clock});
    pthread_mutex_lock(&r->lock);
    r->opened = true;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

static void wait_for_bell(struct sampler_run *r, struct pollfd *fds)
{
    uint64_t n;
    r->tap.sys->wait(r->tap.sys->ctx, fds, (unsigned)r->tap.nrings + 1, PASS_MS);
    ssize_t ignored = read(r->bell, &n, sizeof n);
    (void)ignored;
    /* A ring whose event has ended stays readable for ever: stop polling it; each pass still
     * empties it. */
    for (size_t i = 1; i <= r->tap.nrings; i++)
        if (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
            fds[i].fd = -1;
}

static void *ring_reader_thread(void *arg)
{
    struct sampler_run *r = arg;
    pthread_setname_np(pthread_self(), "rooftop-rings");
    if (!r->opened) {
        tap_open(&r->tap, &r->config);
        configure_worker(r);
    }
    uint64_t *scratch = xcalloc(RECORD_MAX / sizeof *scratch, sizeof *scratch);
    struct pollfd *fds = xcalloc(r->tap.nrings + 1, sizeof *fds);
    fds[0] = (struct pollfd){.fd = r->bell, .events = POLLIN};
    for (size_t i = 0; i < r->tap.nrings; i++)
        fds[i + 1] = (struct pollfd){.fd = r->tap.rings[i].mapped ? r->tap.rings[i].fd : -1,
                                     .events = POLLIN};
    while (!atomic_load(&r->quit)) {
        wait_for_bell(r, fds);
        if (!atomic_load(&r->quit))
            pass_over_rings(r, scratch);
    }
    free(fds);
    free(scratch);
    tap_close(&r->tap); /* closed by the thread that opened most of it */
    return NULL;
}

/* --- the resolver thread --- */

static void resolve_batch(struct sampler_run *r, struct batch_order *order, struct batch *b)
{
    uint64_t request = b->request, until = b->until, time;
    size_t size;
    const void *record;
    if (b->lost)
        worker_lost(r->worker, b->lost);
    order_add(order, &r->queue, b);
    while (!atomic_load(&r->quit) && (record = order_next(order, &r->queue, &size, &time))) {
        worker_record(r->worker, record, size);
        atomic_store_explicit(&r->reached_ns, time, memory_order_relaxed);
    }
    pthread_mutex_lock(&r->lock);
    r->answered = request;
    if (until != UINT64_MAX && until > r->until_ns)
        r->until_ns = until;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

static void *resolver_main(void *arg)
{
    struct sampler_run *r = arg;
    struct batch_order order = {0};
    struct batch *b;
    pthread_setname_np(pthread_self(), "rooftop-names");
    while ((b = batch_queue_take(&r->queue)))
        resolve_batch(r, &order, b);
    order_free(&order, &r->queue);
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    bool mine = r->abandoned;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
    if (mine)
        free_run(r);
    return NULL;
}

/* --- called by the sampling thread --- */

/* Waits until until(r) is true or ms have passed. Called under the lock. Uses real time, not the
 * engine's clock. */
static void wait_news(struct sampler_run *r, unsigned ms, bool (*until)(const struct sampler_run *))
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    while (!until(r))
        if (pthread_cond_timedwait(&r->news, &r->lock, &t) == ETIMEDOUT)
            return;
}

static bool is_opened(const struct sampler_run *r)
{
    return r->opened;
}

static bool is_answered(const struct sampler_run *r)
{
    return r->answered >= r->asked;
}

static bool has_sampler_ended(const struct sampler_run *r)
{
    return r->ended;
}

static bool start_sampler_thread(pthread_t *thread, void *(*main)(void *), struct sampler_run *r)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(thread, NULL, main, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static void ring_reader_bell(struct sampler_run *r)
{
    uint64_t one = 1;
    ssize_t ignored = write(r->bell, &one, sizeof one);
    (void)ignored;
}

/* Gives freed blocks back: glibc would keep as much memory again as the records and tables in use.
 */
static void return_freed_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

struct sampler_run *run_start(const struct tap_config *config)
{
    return_freed_blocks();
    struct sampler_run *r = xcalloc(1, sizeof *r);
    pthread_condattr_t attr;
    r->config = *config;
    target_copy(&r->target, config->target);
    r->context = *config->context;
    r->config.target = &r->target;
    r->config.context = &r->context;
    r->config.quit = &r->quit;
    r->worker = worker_new();
    r->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    batch_queue_init(&r->queue);
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&r->news, &attr);
    pthread_condattr_destroy(&attr);
    r->covered_ns = r->until_ns = env_now_ns();
    if (config->command_waits) {
        tap_open(&r->tap, &r->config);
        configure_worker(r);
    }
    r->resolves = start_sampler_thread(&r->resolver, resolver_main, r);
    r->reads = r->resolves && start_sampler_thread(&r->reader, ring_reader_thread, r);
    pthread_mutex_lock(&r->lock);
    if (r->reads)
        wait_news(r, OPEN_WAIT_MS, is_opened);
    pthread_mutex_unlock(&r->lock);
    return r;
}

static void ask_worker(struct sampler_run *r, unsigned wait_ms, bool all)
{
    if (!r->reads)
        return;
    atomic_store(&r->all, all);
    atomic_fetch_add(&r->asked, 1);
    ring_reader_bell(r);
    pthread_mutex_lock(&r->lock);
    if (r->opened)
        wait_news(r, wait_ms, is_answered);
    pthread_mutex_unlock(&r->lock);
}

static void add_sampler_notices(const struct sampler_run *r, struct snapshot *out)
{
    const struct tap *s = &r->tap;
    const char *help = s->help[0] ? s->help : NULL;
    char text[420], advice[ADVICE_BYTES];
    if (s->nfds == 0) {
        snprintf(text, sizeof text, "no call stacks are sampled: %s", s->why);
        snapshot_add_notice(out, NOTICE_WARN, "sampler.refused", text, help);
    } else if (s->tasks_left) {
        snapshot_add_notice(out, NOTICE_WARN, "sampler.threads", s->why, help);
    }
    if (s->nfds && s->kernel_excluded) {
        snprintf(text, sizeof text,
                 "sampling user mode only: kernel.perf_event_paranoid %d keeps the kernel's part "
                 "from us",
                 r->context.paranoid);
        snapshot_add_notice(out, NOTICE_INFO, "sampler.kernel", text,
                            advice_paranoid(r->context.paranoid, 1, advice));
    }
    double asked = r->config.sampling.hz > 0 ? r->config.sampling.hz : SAMPLING_HZ;
    if (s->nfds && s->hz < asked) {
        char sysctl[112];
        snprintf(text, sizeof text,
                 "sampling at %.0f Hz: kernel.perf_event_max_sample_rate allows no more", s->hz);
        snprintf(
            sysctl, sizeof sysctl,
            "`sudo sysctl kernel.perf_event_max_sample_rate=%.0f`, for all until the next boot",
            asked);
        snapshot_add_notice(out, NOTICE_INFO, "sampler.rate", text, sysctl);
    }
}

static void describe_sampling(const struct sampler_run *r, struct snapshot *out,
                              struct hot_stacks *p)
{
    p->event = r->tap.event;
    p->why = r->tap.why[0] ? snapshot_strdup(out, r->tap.why) : NULL;
    p->callgraph = (uint8_t)r->tap.callgraph;
    add_sampler_notices(r, out);
}

void run_collect(struct sampler_run *r, struct snapshot *out, unsigned wait_ms, bool all)
{
    struct hot_stacks *p = snapshot_alloc(out, sizeof *p);
    ask_worker(r, wait_ms, all);
    pthread_mutex_lock(&r->lock);
    bool known = r->opened;
    uint64_t until = r->until_ns;
    pthread_mutex_unlock(&r->lock);
    uint64_t reached = atomic_load(&r->reached_ns);
    if (reached > until) /* in the middle of a batch */
        until = reached;
    worker_swap(r->worker, out, p);
    p->hz = r->config.sampling.hz > 0 ? r->config.sampling.hz : SAMPLING_HZ;
    p->event = "cpu-clock";
    p->callgraph = r->config.sampling.callgraph;
    if (known)
        describe_sampling(r, out, p);
    else
        p->why = r->reads ? "the events are being opened" : "no thread could be started for it";
    if (all)
        until = env_now_ns();
    p->seconds = until > r->covered_ns ? (double)(until - r->covered_ns) / 1e9 : 0;
    if (until > r->covered_ns)
        r->covered_ns = until;
    out->stacks = p;
}

void run_stop(struct sampler_run *r)
{
    if (!r)
        return;
    atomic_store(&r->quit, true);
    ring_reader_bell(r);
    if (r->reads)
        pthread_join(r->reader, NULL);
    else if (r->opened)
        tap_close(&r->tap);
    close(r->bell);
    batch_queue_close(&r->queue);
    if (!r->resolves) {
        free_run(r);
        return;
    }
    pthread_mutex_lock(&r->lock);
    wait_news(r, STOP_WAIT_MS, has_sampler_ended);
    r->abandoned = !r->ended;
    bool mine = r->ended;
    /* after unlocking, an abandoned run does not belong to us any more */
    pthread_t resolver = r->resolver;
    pthread_mutex_unlock(&r->lock);
    if (!mine) {
        pthread_detach(resolver);
        return;
    }
    pthread_join(resolver, NULL);
    free_run(r);
}
