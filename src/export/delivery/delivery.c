#include "export/delivery/delivery.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/ids.h"
#include "base/thread.h"
#include "base/watch.h"
#include "export/delivery/http.h"

enum { LOOK_MS = 50 };

struct delivery {
    struct delivery_config config;
    struct http *http;
    pthread_t thread;
    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t changed;
    struct spool spool;
    bool ending, stop; /* ending: no further message will come; stop: end at once */
    uint64_t ending_ns;
    bool idle;         /* no message of the spool can be sent now */
    bool halted;       /* after OUTCOME_STOP: nothing more is sent */
    bool away;         /* the last attempt failed */
    uint64_t taken_ns; /* when the collector last took a message */
    uint64_t attempts; /* failed attempts since the last accepted message */
    struct delivery_report report;
};

/* --- waiting --- */

/* Waits for a change, at most ns; call it with the lock held. */
static void wait_for_change(struct delivery *d, uint64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    ns += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(ns / 1000000000u);
    t.tv_nsec = (long)(ns % 1000000000u);
    pthread_cond_timedwait(&d->changed, &d->lock, &t);
}

/* The pause before the next attempt. It doubles with each failure; a random part of up to a fifth
 * keeps many senders apart; it is never shorter than the collector asks. */
static uint64_t pause_after(const struct delivery *d, uint64_t asked)
{
    uint64_t ns = d->config.pause_ns ? d->config.pause_ns : DELIVERY_PAUSE;
    for (uint64_t i = 1; i < d->attempts && ns < DELIVERY_PAUSE_MAX; i++)
        ns *= 2;
    ns = ns < DELIVERY_PAUSE_MAX ? ns : DELIVERY_PAUSE_MAX;
    ns = ns / 10 * 8 + ids_mix(env_now_ns()) % (ns / 10 * 4 + 1);
    return ns > asked ? ns : asked;
}

/* Sleeps before the next attempt; call it with the lock held. */
static void pause_sending(struct delivery *d, uint64_t asked)
{
    const uint64_t until = env_now_ns() + pause_after(d, asked);
    for (uint64_t now = env_now_ns(); !d->stop && now < until; now = env_now_ns())
        wait_for_change(d, until - now);
}

/* --- sending --- */

static bool must_stop(void *ctx)
{
    struct delivery *d = ctx;
    pthread_mutex_lock(&d->lock);
    const bool stop = d->stop;
    pthread_mutex_unlock(&d->lock);
    return stop;
}

static void on_taken(struct delivery *d, struct spool_message *m, const struct verdict *v)
{
    const uint64_t rejected = v->rejected < m->spans ? v->rejected : m->spans;
    d->report.taken += m->spans - rejected;
    d->report.rejected += rejected;
    d->report.messages++;
    d->attempts = 0;
    d->away = false;
    d->taken_ns = env_now_ns();
    if (v->text[0])
        snprintf(d->report.rejected_why, sizeof d->report.rejected_why, "%s", v->text);
    spool_done(&d->spool, m);
}

static void on_refused(struct delivery *d, struct spool_message *m, const struct verdict *v)
{
    d->report.refused += m->spans;
    d->attempts = 0;
    d->taken_ns = env_now_ns();
    snprintf(d->report.rejected_why, sizeof d->report.rejected_why, "%s", v->text);
    spool_done(&d->spool, m);
}

/* The protocol for a message: protobuf can go by HTTP or gRPC, JSON only by HTTP. */
static enum endpoint_protocol protocol_of(const struct delivery *d, const struct spool_message *m)
{
    const enum endpoint_protocol asked = d->config.endpoint->protocol;
    if (!d->config.any_address || m->protocol == ENDPOINT_JSON)
        return m->protocol;
    return asked == ENDPOINT_JSON ? ENDPOINT_PROTOBUF : asked;
}

/* Tries once; needs the lock, which it releases meanwhile. true: the message is done. */
static bool attempt_delivery(struct delivery *d, struct spool_message *m, struct answer *answer)
{
    struct verdict v;
    const enum endpoint_protocol protocol = protocol_of(d, m);
    pthread_mutex_unlock(&d->lock);
    http_post(d->http, protocol, m->data, m->n, must_stop, d, answer);
    answer_judge(answer, protocol, &v);
    pthread_mutex_lock(&d->lock);
    d->report.requests++;
    if (v.outcome == OUTCOME_TAKEN)
        on_taken(d, m, &v);
    else if (v.outcome == OUTCOME_REFUSED)
        on_refused(d, m, &v);
    if (v.outcome == OUTCOME_TAKEN || v.outcome == OUTCOME_REFUSED)
        return true;
    snprintf(d->report.why, sizeof d->report.why, "%s", v.text);
    d->attempts++;
    d->away = true;
    d->halted = v.outcome == OUTCOME_STOP;
    return false;
}

/* Sends a message with as many attempts as needed; call it with the lock held. */
static void send_message(struct delivery *d, struct spool_message *m, struct answer *answer)
{
    while (!d->stop && !d->halted) {
        if (attempt_delivery(d, m, answer))
            break;
        pthread_cond_broadcast(&d->changed);
        if (!d->halted)
            pause_sending(d, answer->retry_ns);
    }
    spool_leave(m);
    pthread_cond_broadcast(&d->changed);
}

static bool take_spooled_message(struct delivery *d, struct spool_message *m)
{
    const char *url = d->config.any_address ? NULL : d->config.endpoint->url;
    if (spool_take(&d->spool, url, m))
        return true;
    spool_look(&d->spool);
    return spool_take(&d->spool, url, m);
}

static void *sending_thread(void *arg)
{
    struct delivery *d = arg;
    struct answer *answer = xcalloc(1, sizeof *answer);
    pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        struct spool_message m;
        if (!d->halted && take_spooled_message(d, &m)) {
            send_message(d, &m, answer);
            continue;
        }
        d->idle = true;
        pthread_cond_broadcast(&d->changed);
        if (d->ending)
            break;
        while (d->idle && !d->ending && !d->stop)
            pthread_cond_wait(&d->changed, &d->lock);
    }
    d->idle = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    free(answer);
    return NULL;
}

/* --- for the caller --- */

static void release_delivery(struct delivery *d)
{
    http_close(d->http);
    spool_close(&d->spool);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

int delivery_open(struct delivery **out, const struct delivery_config *c, struct error *err)
{
    struct delivery *d = xcalloc(1, sizeof *d);
    pthread_condattr_t attr;
    *out = NULL;
    d->config = *c;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&d->changed, &attr);
    pthread_condattr_destroy(&attr);
    d->taken_ns = env_now_ns();
    int rc = spool_open(&d->spool, c->spool, c->spool_bytes ? c->spool_bytes : DELIVERY_SPOOL, err);
    if (rc == 0)
        d->http = http_open(c->endpoint, err);
    if (rc == 0 && !d->http)
        rc = -ENOTSUP;
    if (rc == 0) {
        rc = -thread_start(&d->thread, sending_thread, d);
        if (rc != 0)
            error_set(err, ERROR_INTERNAL, -rc, NULL, "send by OTLP", "no thread could be started");
    }
    if (rc == 0)
        *out = d;
    else
        release_delivery(d);
    return rc;
}

/* Waits, as the spool is full, until the collector takes a message. false: it takes none. */
static bool wait_for_room(struct delivery *d)
{
    const uint64_t before = d->report.messages + d->report.refused;
    while (!d->away && !d->halted && !d->idle && !watch_given_up()) {
        if (d->report.messages + d->report.refused != before)
            return true;
        wait_for_change(d, LOOK_MS * UINT64_C(1000000));
    }
    return d->report.messages + d->report.refused != before;
}

int delivery_add(struct delivery *d, const void *const part[SPOOL_PARTS],
                 const size_t size[SPOOL_PARTS], uint32_t spans, bool wait, struct error *err)
{
    pthread_mutex_lock(&d->lock);
    int rc = spool_add(&d->spool, d->config.endpoint, part, size, spans, err);
    while (rc == -ENOSPC && wait && wait_for_room(d))
        rc = spool_add(&d->spool, d->config.endpoint, part, size, spans, err);
    if (rc != 0) {
        d->report.lost += spans;
        snprintf(d->report.lost_why, sizeof d->report.lost_why, "%s", err->why);
    }
    d->idle = false;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

void delivery_look(struct delivery *d, struct delivery_state *out)
{
    pthread_mutex_lock(&d->lock);
    *out = (struct delivery_state){.away = d->away || d->halted,
                                   .lost = d->report.lost,
                                   .taken = d->report.taken,
                                   .messages = d->report.messages};
    snprintf(out->why, sizeof out->why, "%s", d->report.why);
    snprintf(out->lost_why, sizeof out->lost_why, "%s", d->report.lost_why);
    pthread_mutex_unlock(&d->lock);
}

static void count_waiting(struct delivery *d)
{
    size_t n;
    struct spool_sum *sums = spool_sums(&d->spool, &n);
    for (size_t i = 0; i < n; i++)
        if (d->config.any_address || strcmp(sums[i].url, d->config.endpoint->url) == 0) {
            d->report.waiting += sums[i].spans;
            d->report.waiting_bytes += sums[i].bytes;
        }
    free(sums);
}

void delivery_finish(struct delivery *d)
{
    pthread_mutex_lock(&d->lock);
    if (!d->ending) {
        d->ending = true;
        d->idle = false;
        d->ending_ns = env_now_ns();
        pthread_cond_broadcast(&d->changed);
    }
    pthread_mutex_unlock(&d->lock);
}

/* Call it with the lock held. */
static bool is_worth_waiting(const struct delivery *d)
{
    const uint64_t began = d->ending_ns, now = env_now_ns();
    const uint64_t from = d->taken_ns > began ? d->taken_ns : began;
    if (d->idle || d->halted || watch_given_up())
        return false;
    if (d->config.whole_ns && now >= began + d->config.whole_ns)
        return false;
    return now < from + d->config.wait_ns;
}

bool delivery_wait(struct delivery *d)
{
    pthread_mutex_lock(&d->lock);
    const bool waits = is_worth_waiting(d);
    if (waits)
        wait_for_change(d, LOOK_MS * UINT64_C(1000000));
    pthread_mutex_unlock(&d->lock);
    return waits;
}

void delivery_end(struct delivery *d, struct delivery_report *out)
{
    delivery_finish(d);
    while (delivery_wait(d))
        ;
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    d->report.damaged = d->spool.damaged;
    snprintf(d->report.folder, sizeof d->report.folder, "%s", d->spool.folder);
    count_waiting(d);
    *out = d->report;
    release_delivery(d);
}
