#include "engine/fleet/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/fleet/fleet_impl.h"

const struct fleet_metric_row fleet_metrics[FLEET_METRICS] = {
#define FLEET_METRIC(i, heading, of, join, sides, apart, part, hot, text)                          \
    [FLEET_##i] = {.id = #i,                                                                       \
                   .head = (heading),                                                              \
                   .help = (text),                                                                 \
                   .unit = (of),                                                                   \
                   .joined = FLEET_JOIN_##join,                                                    \
                   .side = FLEET_SIDE_##sides,                                                     \
                   .spread = (apart),                                                              \
                   .share = (part),                                                                \
                   .full = (hot)},
#include "engine/fleet/fleet_metrics.def"
};

enum fleet_metric fleet_metric_named(const char *id)
{
    for (int m = 0; m < FLEET_METRICS; m++)
        if (strcmp(fleet_metrics[m].id, id) == 0)
            return (enum fleet_metric)m;
    return FLEET_METRICS;
}

const char *fleet_state_name(enum fleet_state s)
{
    static const char *const names[FLEET_STATES] = {"connecting", "live", "late", "lost"};
    return (unsigned)s < FLEET_STATES ? names[s] : "lost";
}

void fleet_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* --- samples --- */

/* So that sums and the floats of history stay finite whatever a host tells. */
#define NUMBER_MOST 1e30

void fleet_sample_begin(struct fleet_sample *s, uint64_t wall_ns)
{
    *s = (struct fleet_sample){.wall_ns = wall_ns, .host_s = NAN, .interval_s = NAN};
    for (int m = 0; m < FLEET_METRICS; m++)
        s->v[m] = NAN;
}

void fleet_sample_add(struct fleet_sample *s, enum fleet_metric m, double v)
{
    if ((unsigned)m >= FLEET_METRICS || !isfinite(v) || s->n[m] == UINT16_MAX)
        return;
    const double before = s->v[m];
    s->n[m]++;
    v = fmax(-NUMBER_MOST, fmin(NUMBER_MOST, v));
    if (s->n[m] == 1) {
        s->v[m] = v;
        return;
    }
    switch (fleet_metrics[m].joined) {
    case FLEET_JOIN_SUM:
        s->v[m] = before + v;
        break;
    case FLEET_JOIN_MEAN:
        s->v[m] = before + (v - before) / s->n[m];
        break;
    case FLEET_JOIN_MOST:
        s->v[m] = fmax(before, v);
        break;
    case FLEET_JOIN_LEAST:
        s->v[m] = fmin(before, v);
        break;
    }
}

/* --- hosts --- */

struct fleet *fleet_new(size_t history)
{
    struct fleet *f = xcalloc(1, sizeof *f);
    f->history = history ? history : FLEET_HISTORY;
    return f;
}

void fleet_free(struct fleet *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        free(f->hosts[i].kept);
    free(f->hosts);
    hash_table_free(&f->by_name);
    free(f);
}

int fleet_add_host(struct fleet *f, const char *name, double interval_s, struct error *err)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= FLEET_NAME)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "the name of a host",
                         "it has %zu bytes; 1 to %d are taken", length, FLEET_NAME - 1);
    const uint64_t hash = hash_text(0, name);
    HASH_EACH (&f->by_name, hash, i)
        if (strcmp(f->hosts[i].name, name) == 0)
            return (int)i;
    if (f->n == FLEET_HOSTS_MAX)
        return error_set(err, ERROR_USAGE, E2BIG, "name fewer hosts", name,
                         "a fleet has at most %d hosts", FLEET_HOSTS_MAX);
    struct fleet_host fresh = {.state = FLEET_CONNECTING, .interval_s = interval_s};
    memcpy(fresh.name, name, length + 1);
    hash_table_add(&f->by_name, hash, f->n);
    LIST_ADD(f->hosts, f->n, f->cap, fresh);
    return (int)f->n - 1;
}

const char *fleet_host_name(const struct fleet *f, int host)
{
    return host >= 0 && (size_t)host < f->n ? f->hosts[host].name : "";
}

size_t fleet_hosts(const struct fleet *f)
{
    return f->n;
}

void fleet_set_state(struct fleet *f, int host, enum fleet_state s, const char *reason_fmt, ...)
{
    if (host < 0 || (size_t)host >= f->n)
        return;
    struct fleet_host *h = &f->hosts[host];
    va_list args;
    va_start(args, reason_fmt);
    h->state = s;
    vsnprintf(h->reason, sizeof h->reason, reason_fmt, args);
    va_end(args);
}

bool fleet_take_sample(struct fleet *f, int host, const struct fleet_sample *s, uint64_t now_ns)
{
    if (host < 0 || (size_t)host >= f->n || f->history == 0)
        return false;
    struct fleet_host *h = &f->hosts[host];
    const uint64_t last_ns = h->nkept ? fleet_kept_at(f, h, h->nkept - 1)->wall_ns : 0;
    uint64_t wall_ns = s->wall_ns;
    if (wall_ns == last_ns || (wall_ns < last_ns && !now_ns))
        return false;
    if (wall_ns < last_ns)
        wall_ns = last_ns + 1; /* the clock was set back */
    if (!h->kept)
        h->kept = xcalloc(f->history, sizeof *h->kept);
    if (h->nkept == f->history) {
        h->first = (h->first + 1) % f->history;
        h->nkept--;
    }
    struct fleet_kept *k = &h->kept[(h->first + h->nkept++) % f->history];
    k->wall_ns = wall_ns;
    for (int m = 0; m < FLEET_METRICS; m++)
        k->v[m] = (float)s->v[m];
    if (now_ns) {
        h->came_ns = now_ns;
        h->state = FLEET_LIVE;
        h->reason[0] = '\0';
    }
    return true;
}

size_t fleet_history(const struct fleet *f, int host, enum fleet_metric m, size_t max, double *v,
                     uint64_t *wall_ns)
{
    if (host < 0 || (size_t)host >= f->n || (unsigned)m >= FLEET_METRICS)
        return 0;
    const struct fleet_host *h = &f->hosts[host];
    const size_t n = h->nkept < max ? h->nkept : max;
    for (size_t i = 0; i < n; i++) {
        const struct fleet_kept *k = fleet_kept_at(f, h, h->nkept - n + i);
        v[i] = k->v[m];
        if (wall_ns)
            wall_ns[i] = k->wall_ns;
    }
    return n;
}

size_t fleet_times(const struct fleet *f, int host, size_t max, uint64_t *wall_ns)
{
    const bool own = host >= 0 && (size_t)host < f->n && f->hosts[host].nkept;
    size_t at = own ? (size_t)host : 0;
    if (f->n == 0)
        return 0;
    for (size_t i = 0; !own && i < f->n; i++)
        if (f->hosts[i].nkept > f->hosts[at].nkept)
            at = i;
    const struct fleet_host *h = &f->hosts[at];
    const size_t n = h->nkept < max ? h->nkept : max;
    for (size_t i = 0; i < n; i++)
        wall_ns[i] = fleet_kept_at(f, h, h->nkept - n + i)->wall_ns;
    return n;
}

bool fleet_span(const struct fleet *f, uint64_t *oldest_ns, uint64_t *newest_ns)
{
    *oldest_ns = UINT64_MAX;
    *newest_ns = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct fleet_host *h = &f->hosts[i];
        if (!h->nkept)
            continue;
        const uint64_t first = fleet_kept_at(f, h, 0)->wall_ns;
        const uint64_t last = fleet_kept_at(f, h, h->nkept - 1)->wall_ns;
        *oldest_ns = first < *oldest_ns ? first : *oldest_ns;
        *newest_ns = last > *newest_ns ? last : *newest_ns;
    }
    return *newest_ns > 0;
}
