/* A server that keeps the numbers of exporters and speaks Prometheus' query API. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/server_query.h"
#include "backends/prometheus/source_thread.h"
#include "base/env.h"
#include "base/print.h"
#include "base/watch.h"

#define SECOND UINT64_C(1000000000)
enum { TIMEOUT_S = 30, WAIT_MS = 250 /* before the watch is asked again */ };

struct server_source {
    struct source_thread thread; /* the first member: source_thread.h */
    struct credentials credentials;
    struct exporters *exporters;
    struct arena texts;
    struct selector match;
    struct query_form form;
    char *url;
    double past_s;
    size_t points;
    struct grid now; /* of the newest answer: the hosts that are known */
};

/* --- one question --- */

static int refuse_reply(const struct server_source *s, const struct http_reply *r,
                        struct error *err)
{
    const char *help = r->status ? "ask about fewer hosts: --match SELECTOR"
                                 : "does curl reach it from here, by this address?";
    if (r->why[0])
        return error_set(err, ERROR_TARGET, EIO, help, s->url, "%s", r->why);
    if (r->status == 401 || r->status == 403)
        return error_set(err, ERROR_PERMISSION, EACCES,
                         "put \"bearer TOKEN\" or \"basic USER:PASSWORD\" into a file: --prom-auth "
                         "FILE, or into ROOFTOP_PROM_AUTH",
                         s->url, "the server answered %d", r->status);
    return error_set(err, ERROR_TARGET, EIO,
                     "is it Prometheus, VictoriaMetrics, Thanos or Mimir, and its prefix part of "
                     "the address?",
                     s->url, "the server answered %d, %s", r->status,
                     r->type[0] ? r->type : "of no type");
}

/* Sends a form and waits for the answer, which goes into the grid. */
static int ask_server(struct server_source *s, const char *path, const char *form, struct grid *g,
                      struct error *err)
{
    struct http_reply r;
    size_t slot;
    char *url = xcalloc(strlen(s->url) + strlen(path) + 1, 1);
    sprintf(url, "%s%s", s->url, path);
    http_begin(s->thread.gets, 0, url, form, "application/json");
    free(url);
    while (!http_take(s->thread.gets, &slot, &r)) {
        if (s->thread.ends || watch_given_up())
            return -ECANCELED;
        http_wait(s->thread.gets, WAIT_MS);
    }
    const bool document = r.body && r.n && r.body[strspn(r.body, " \t\r\n")] == '{';
    int rc = document && r.status != 401 && r.status != 403
                 ? grid_read(g, &s->form, r.body, r.n, err)
                 : refuse_reply(s, &r, err);
    free(r.body);
    return rc;
}

/* Asks for all rows. times: how the question says which times, "time=…" or "start=…". */
static int ask_rows(struct server_source *s, const char *path, const char *times, struct grid *g,
                    struct error *err)
{
    size_t row = 0;
    char *query;
    int rc = 0;
    while (rc == 0 && (query = query_make(&s->form, &row))) {
        char *escaped = http_escaped(query);
        char *form = xcalloc(strlen(escaped) + strlen(times) + 16, 1);
        sprintf(form, "query=%s&%s", escaped, times);
        rc = ask_server(s, path, form, g, err);
        free(form);
        free(escaped);
        free(query);
    }
    return rc;
}

static int ask_present(struct server_source *s, struct grid *g, struct error *err)
{
    char times[64];
    const double now = floor((double)env_wall_ns() / 1e6) / 1e3;
    /* VictoriaMetrics would show the state of 30 s ago; other servers ignore nocache. */
    snprintf(times, sizeof times, "nocache=1&time=%.3f", now);
    s->form.instant = true;
    s->form.window = "5m";
    grid_begin(g, now, 0, 1);
    return ask_rows(s, "/api/v1/query", times, g, err);
}

/* Rates of the past are over the time between two points, or enough for two samples of an exporter
 * that is asked once a minute. */
static int ask_past(struct server_source *s, struct grid *g, struct error *err)
{
    char times[160], window[32];
    double step = ceil(s->past_s / (double)s->points);
    step = step < 1 ? 1 : step;
    const double end = floor((double)env_wall_ns() / 1e9) - 1;
    const size_t n = (size_t)(s->past_s / step);
    const double first = end - (double)(n - 1) * step;
    snprintf(window, sizeof window, "%.0fs", step > 150 ? step : 150);
    snprintf(times, sizeof times, "start=%.0f&end=%.0f&step=%.0f", first, end, step);
    s->form.instant = false;
    s->form.window = window;
    grid_begin(g, first, step, n);
    const int rc = n ? ask_rows(s, "/api/v1/query_range", times, g, err) : 0;
    s->form.window = "5m";
    return rc;
}

/* --- on the thread --- */

static void sample_of_grid(const struct grid *g, const struct grid_host *h, size_t time,
                           struct fleet_sample *out)
{
    const double at = g->first_s + (double)time * g->step_s;
    fleet_sample_begin(out, (uint64_t)(at * 1e3 + 0.5) * 1000000u);
    for (int m = 0; m < FLEET_METRICS; m++)
        out->v[m] = (double)h->v[time * FLEET_METRICS + (size_t)m];
}

static bool has_numbers(const struct fleet_sample *s)
{
    for (int m = 0; m < FLEET_METRICS; m++)
        if (isfinite(s->v[m]))
            return true;
    return false;
}

static void report_past(struct server_source *s, const struct grid *g)
{
    struct fleet_sample sample;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->times; k++) {
            sample_of_grid(g, &g->hosts[i], k, &sample);
            if (has_numbers(&sample))
                report_sample(&s->thread, g->hosts[i].name, &sample, true);
        }
}

/* Rates are known for minutes after an exporter is gone, so `up` counts before numbers. */
static void report_present(struct server_source *s, const struct grid *g)
{
    struct fleet_sample sample;
    for (size_t i = 0; i < g->n; i++) {
        const struct grid_host *h = &g->hosts[i];
        sample_of_grid(g, h, 0, &sample);
        if (h->down && !h->up)
            report_lost(&s->thread, h->name, "its exporter does not answer the server (up is 0)");
        else if (h->known)
            report_sample(&s->thread, h->name, &sample, false);
    }
}

/* Takes the newest answer. The hosts of the one before that are not in it have no series any more:
 * the fleet sees that they are late. */
static void take_present(struct server_source *s, struct grid *fresh)
{
    report_present(s, fresh);
    grid_free(&s->now);
    s->now = *fresh;
}

static void wait_until(struct source_thread *t, uint64_t due)
{
    uint64_t now;
    while (!t->ends && (now = env_now_ns()) < due) {
        const uint64_t ms = (due - now) / 1000000u + 1;
        http_wait(t->gets, ms < 1000 ? (int)ms : 1000);
    }
}

static void ask_again_and_again(struct source_thread *t)
{
    struct server_source *s = (struct server_source *)t;
    struct error err = ERROR_INIT;
    struct grid g = {0};
    while (!t->ends) {
        const uint64_t began = env_now_ns();
        const int rc = ask_present(s, &g, &err);
        if (rc == 0) {
            take_present(s, &g);
        } else {
            grid_free(&g);
            for (size_t i = 0; i < s->now.n && rc != -ECANCELED; i++)
                report_lost(t, s->now.hosts[i].name, err.why);
        }
        wait_until(t, began + (uint64_t)(t->interval_s * 1e9));
    }
}

/* --- opening --- */

static void stop_asking(struct fleet_source *self)
{
    struct server_source *s = (struct server_source *)self;
    source_thread_end(&s->thread);
    grid_free(&s->now);
    exporters_free(s->exporters);
    credentials_free(&s->credentials);
    selector_free(&s->match);
    arena_free(&s->texts);
    free(s->url);
    free(s);
}

static int start_asking(struct fleet_source *self, struct fleet *f, struct error *err)
{
    struct server_source *s = (struct server_source *)self;
    for (size_t i = 0; i < s->now.n; i++) {
        const int host = fleet_add_host(f, s->now.hosts[i].name, s->thread.interval_s, err);
        if (host < 0)
            return host;
    }
    return source_thread_start(&s->thread, err);
}

static const struct fleet_source_ops server_ops = {.name = "prometheus",
                                                   .start = start_asking,
                                                   .fd = source_thread_fd,
                                                   .poll = source_thread_poll,
                                                   .stop = stop_asking};

static bool is_label_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && !isdigit((unsigned char)*text) && strspn(text, letters) == strlen(text);
}

static int set_up_server(struct server_source *s, const struct server_config *server,
                         const struct prometheus_config *config, struct error *err)
{
    const struct http_limits limits = {
        .bytes = config->answer_bytes ? config->answer_bytes : PROMETHEUS_ANSWER,
        .timeout_ns =
            config->timeout_s > 0 ? (uint64_t)(config->timeout_s * 1e9) : TIMEOUT_S * SECOND};
    int rc = http_address_check(server->url, "prom", err);
    if (rc == 0 && !is_label_name(s->form.host_label))
        rc = error_set(err, ERROR_USAGE, EINVAL, "as in: instance", "--host-label",
                       "this is no name of a label");
    if (rc == 0 && server->match)
        rc = selector_parse(&s->match, &s->texts, server->match, false, "--match", err);
    if (rc == 0)
        rc = credentials_read(&s->credentials, config->auth, err);
    if (rc == 0)
        rc = exporters_load(&s->exporters, config->exporters, err);
    if (rc != 0)
        return rc;
    s->form.exporters = s->exporters;
    s->form.match = server->match ? &s->match : NULL;
    s->thread.gets = http_gets_new(1, limits, &s->credentials, err);
    return s->thread.gets ? 0 : -ENOTSUP;
}

/* The first question is asked here, where an answer may be waited for: a wrong address ends the
 * command, and does not become an empty view. */
static int ask_first(struct server_source *s, struct error *err)
{
    const int rc = ask_present(s, &s->now, err);
    if (rc == 0 && s->now.n == 0)
        return error_set(err, ERROR_TARGET, ENOENT,
                         "wait some seconds if the server has just begun; look at --match; or "
                         "name its series in a file: --exporters FILE",
                         s->url,
                         "the server knows no series of the last 5 minutes of node_exporter, "
                         "dcgm-exporter, AMD's device-metrics-exporter, Slurm or rooftop");
    return rc;
}

/* The past is asked for once, and here, too: a user who wants it is told why there is none. */
static int ask_first_past(struct server_source *s, struct error *err)
{
    struct error of_past = ERROR_INIT;
    struct grid g = {0};
    int rc = ask_past(s, &g, &of_past);
    if (rc == 0)
        report_past(s, &g);
    else
        rc = error_set(err, ERROR_TARGET, of_past.code,
                       "ask for less of it, for fewer hosts (--match), or leave --past out",
                       "the past, which --past asks for", "%s: %s", of_past.what, of_past.why);
    grid_free(&g);
    return rc;
}

int server_open(struct fleet_source_of *out, const struct server_config *server,
                const struct prometheus_config *config, struct error *err)
{
    struct server_source *s = xcalloc(1, sizeof *s);
    source_thread_init(&s->thread);
    s->thread.interval_s = config->interval_s > 1 ? config->interval_s : 1;
    s->thread.work = ask_again_and_again;
    s->url = xstrdup(server->url);
    for (size_t n = strlen(s->url); n && s->url[n - 1] == '/'; n--)
        s->url[n - 1] = '\0';
    s->form.host_label = server->host_label ? server->host_label : "instance";
    s->past_s = server->past_s;
    s->points = server->points ? server->points : FLEET_HISTORY;
    int rc = set_up_server(s, server, config, err);
    if (rc == 0)
        rc = ask_first(s, err);
    if (rc == 0 && s->past_s > 0)
        rc = ask_first_past(s, err);
    *out = (struct fleet_source_of){&server_ops, (struct fleet_source *)s};
    if (rc != 0)
        stop_asking(out->self);
    return rc;
}
