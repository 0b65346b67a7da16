/* Sources of a fleet over HTTP: exporters themselves, or a server that keeps their numbers. */
#pragma once

#include "engine/fleet/fleet.h"

struct prometheus_config {
    double interval_s;     /* of samples; at least 1 */
    const char *auth;      /* a file with credentials; NULL: ROOFTOP_PROM_AUTH, if set */
    const char *exporters; /* a file of rows (exporters.h); NULL: the built-in ones */
    size_t answer_bytes;   /* of an answer at most; 0: PROMETHEUS_ANSWER */
    double timeout_s;      /* of an answer; 0: 10 of an exporter, 30 of a server */
};
#define PROMETHEUS_ANSWER ((size_t)64 << 20)

/*
 * The source of exporters: urls has n of "http://HOST:PORT[/PATH]", or "NAME=URL" where the host
 * shall be called NAME. Without a path /metrics is asked for. Several of one host make one row.
 * *out is started by fleet_run_start. -errno with err: an address or a file is bad, or there is no
 * libcurl.
 */
int scrape_open(struct fleet_source_of *out, char *const *urls, size_t n,
                const struct prometheus_config *config, struct error *err);

struct server_config {
    const char *url;        /* "http://SERVER[:PORT][/PREFIX]" */
    const char *match;      /* a selector in braces that all series must fit; NULL: all */
    const char *host_label; /* whose value is the host's name; NULL: instance, without its port */
    double past_s;          /* how far back the past is asked for; 0: not */
    size_t points;          /* of the past, at most */
};
/* The source of a server that speaks Prometheus' query API. */
int server_open(struct fleet_source_of *out, const struct server_config *server,
                const struct prometheus_config *config, struct error *err);
