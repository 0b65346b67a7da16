/* Exporters, asked themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/exporters.h"
#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/scrape_read.h"
#include "backends/prometheus/source_thread.h"
#include "base/env.h"
#include "base/list.h"
#include "base/print.h"

#define SECOND UINT64_C(1000000000)
enum { TIMEOUT_S = 10 };

struct scraped_host {
    char name[FLEET_NAME];
    size_t waits; /* exporters that were asked and have not answered */
    size_t good;  /* that answered in this round */
    bool due;     /* its exporters are to be asked now */
    char why[FLEET_REASON];
    struct fleet_sample sample;
    uint64_t next_ns;
};

struct exporter_target {
    char *url;
    size_t host;
    bool asked; /* and has not answered */
    uint64_t asked_ns;
    struct scrape_memory *memory;
};

struct scrape_source {
    struct source_thread thread; /* the first member: source_thread.h */
    struct credentials credentials;
    struct exporters *exporters;
    struct scraped_host *hosts;
    size_t nhosts, hosts_cap;
    struct exporter_target *targets;
    size_t n;
};

/* --- on the thread --- */

/* When the next round of a host begins. One that still waits for some of its exporters has an
 * interval more; then the numbers of the others count without theirs. */
static uint64_t find_round_due(const struct scraped_host *h, uint64_t interval)
{
    if (h->waits == 0)
        return h->next_ns;
    return h->good ? h->next_ns + interval : UINT64_MAX;
}

static void begin_host_round(struct scrape_source *s, struct scraped_host *h, uint64_t now,
                             uint64_t interval)
{
    h->due = find_round_due(h, interval) <= now;
    if (!h->due)
        return;
    if (h->waits)
        report_sample(&s->thread, h->name, &h->sample, false);
    fleet_sample_begin(&h->sample, env_wall_ns());
    h->good = 0;
    h->why[0] = '\0';
    h->next_ns = h->next_ns + interval > now ? h->next_ns + interval : now + interval;
}

/* Asks the exporters of hosts whose time has come. Returns when the next one is due. */
static uint64_t begin_round(struct scrape_source *s, uint64_t now)
{
    static const char accept[] =
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
    uint64_t next = UINT64_MAX;
    const uint64_t interval = (uint64_t)(s->thread.interval_s * 1e9);
    for (size_t i = 0; i < s->nhosts; i++)
        begin_host_round(s, &s->hosts[i], now, interval);
    for (size_t i = 0; i < s->n; i++) {
        struct exporter_target *t = &s->targets[i];
        struct scraped_host *h = &s->hosts[t->host];
        if (!h->due || t->asked)
            continue;
        h->waits++;
        t->asked = true;
        t->asked_ns = now;
        http_begin(s->thread.gets, i, t->url, NULL, accept);
    }
    for (size_t i = 0; i < s->nhosts; i++) {
        const uint64_t due = find_round_due(&s->hosts[i], interval);
        next = due < next ? due : next;
    }
    return next;
}

/* Reads what an exporter answered into its host's sample; false, with why: it said nothing. */
static bool read_exporter_answer(struct scrape_source *s, size_t slot, const struct http_reply *r,
                                 char why[FLEET_REASON])
{
    struct exporter_target *t = &s->targets[slot];
    struct error err = ERROR_INIT;
    if (r->why[0])
        print_line(why, FLEET_REASON, "%s", r->why);
    else if (r->status != 200)
        print_line(why, FLEET_REASON, "%.100s answered %d", t->url, r->status);
    else if (strncmp(r->type, "text/html", 9) == 0)
        print_line(why, FLEET_REASON, "%.100s is a page for people, not metrics", t->url);
    else if (scrape_read(t->memory, s->exporters, r->body, r->n, exposition_format_of(r->type),
                         "its metrics", t->asked_ns, &s->hosts[t->host].sample, &err) != 0)
        print_line(why, FLEET_REASON, "%s: %s", err.what, err.why);
    else
        return true;
    return false;
}

static void take_exporter_answer(struct scrape_source *s, size_t slot, const struct http_reply *r)
{
    struct scraped_host *h = &s->hosts[s->targets[slot].host];
    char why[FLEET_REASON];
    s->targets[slot].asked = false;
    if (read_exporter_answer(s, slot, r, why))
        h->good++;
    else
        memcpy(h->why, why, sizeof why);
    if (--h->waits)
        return;
    if (h->good)
        report_sample(&s->thread, h->name, &h->sample, false);
    else
        report_lost(&s->thread, h->name, h->why);
}

static void scrape_all(struct source_thread *thread)
{
    struct scrape_source *s = (struct scrape_source *)thread;
    while (!thread->ends) {
        struct http_reply reply;
        size_t slot;
        const uint64_t now = env_now_ns();
        const uint64_t next = begin_round(s, now);
        const uint64_t ms = next > now ? (next - now) / 1000000u + 1 : 0;
        http_wait(thread->gets, ms < 1000 ? (int)ms : 1000);
        while (!thread->ends && http_take(thread->gets, &slot, &reply)) {
            take_exporter_answer(s, slot, &reply);
            free(reply.body);
        }
    }
}

/* --- opening --- */

static size_t find_scraped_host(struct scrape_source *s, const char *name)
{
    for (size_t i = 0; i < s->nhosts; i++)
        if (strcmp(s->hosts[i].name, name) == 0)
            return i;
    struct scraped_host fresh = {.waits = 0};
    print_line(fresh.name, sizeof fresh.name, "%s", name);
    LIST_ADD(s->hosts, s->nhosts, s->hosts_cap, fresh);
    return s->nhosts - 1;
}

/* Splits NAME=URL; what has no name is called as the host in its address. */
static int add_target(struct scrape_source *s, const char *text, struct error *err)
{
    struct exporter_target *t = &s->targets[s->n];
    char name[FLEET_NAME];
    const char *equal = strchr(text, '=');
    const char *colon = strstr(text, "://");
    const bool named = equal && colon && equal < colon;
    const char *url = named ? equal + 1 : text;
    const int rc = http_address_check(url, "--scrape", err);
    if (rc != 0)
        return rc;
    const char *host = strstr(url, "://") + 3;
    size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
    if (named) {
        host = text;
        length = (size_t)(equal - text);
    }
    if (length == 0 || length >= sizeof name)
        return error_set(err, ERROR_USAGE, EINVAL, "NAME=http://HOST:PORT", "--scrape",
                         "the name of the host is empty or too long");
    memcpy(name, host, length);
    name[length] = '\0';
    const char *rest = strstr(url, "://") + 3;
    const bool path = strchr(rest, '/') != NULL;
    t->url = xcalloc(strlen(url) + sizeof "/metrics", 1);
    strcpy(t->url, url);
    if (!path)
        strcat(t->url, "/metrics");
    t->host = find_scraped_host(s, name);
    t->memory = scrape_memory_new();
    s->n++;
    return 0;
}

static void stop_scraping(struct fleet_source *self)
{
    struct scrape_source *s = (struct scrape_source *)self;
    source_thread_end(&s->thread);
    for (size_t i = 0; i < s->n; i++) {
        free(s->targets[i].url);
        scrape_memory_free(s->targets[i].memory);
    }
    free(s->targets);
    free(s->hosts);
    exporters_free(s->exporters);
    credentials_free(&s->credentials);
    free(s);
}

static int start_scraping(struct fleet_source *self, struct fleet *f, struct error *err)
{
    struct scrape_source *s = (struct scrape_source *)self;
    for (size_t i = 0; i < s->nhosts; i++) {
        const int host = fleet_add_host(f, s->hosts[i].name, s->thread.interval_s, err);
        if (host < 0)
            return host;
    }
    return source_thread_start(&s->thread, err);
}

static const struct fleet_source_ops scrape_ops = {.name = "scrape",
                                                   .start = start_scraping,
                                                   .fd = source_thread_fd,
                                                   .poll = source_thread_poll,
                                                   .stop = stop_scraping};

int scrape_open(struct fleet_source_of *out, char *const *urls, size_t n,
                const struct prometheus_config *config, struct error *err)
{
    struct scrape_source *s = xcalloc(1, sizeof *s);
    const struct http_limits limits = {
        .bytes = config->answer_bytes ? config->answer_bytes : PROMETHEUS_ANSWER,
        .timeout_ns =
            config->timeout_s > 0 ? (uint64_t)(config->timeout_s * 1e9) : TIMEOUT_S * SECOND};
    source_thread_init(&s->thread);
    s->thread.interval_s = config->interval_s > 1 ? config->interval_s : 1;
    s->thread.work = scrape_all;
    s->targets = xcalloc(n + 1, sizeof *s->targets);
    int rc = n > FLEET_HOSTS_MAX ? error_set(err, ERROR_USAGE, E2BIG, NULL, "--scrape",
                                             "more than %d addresses", FLEET_HOSTS_MAX)
                                 : 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_target(s, urls[i], err);
    if (rc == 0)
        rc = credentials_read(&s->credentials, config->auth, err);
    if (rc == 0)
        rc = exporters_load(&s->exporters, config->exporters, err);
    if (rc == 0) {
        s->thread.gets = http_gets_new(n, limits, &s->credentials, err);
        rc = s->thread.gets ? 0 : -ENOTSUP;
    }
    *out = (struct fleet_source_of){&scrape_ops, (struct fleet_source *)s};
    if (rc != 0)
        stop_scraping(out->self);
    return rc;
}
