/*
 * Where and how to send spans, from options and from the variables that OpenTelemetry defines.
 *   Source: "OpenTelemetry Protocol Exporter", specification 1.50; OTEL_EXPORTER_OTLP_TRACES_NAME
 *   goes before OTEL_EXPORTER_OTLP_NAME.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum endpoint_protocol { ENDPOINT_PROTOBUF, ENDPOINT_JSON, ENDPOINT_GRPC };
enum { ENDPOINT_URL = 1024, ENDPOINT_HEADERS = 32 };

struct endpoint {
    char url[ENDPOINT_URL]; /* whole address, with the path */
    enum endpoint_protocol protocol;
    const char *headers[ENDPOINT_HEADERS]; /* "name: value"; ended by NULL */
    uint64_t timeout_ns;                   /* for one request */
    bool gzip;
    const char *authority, *certificate, *key; /* PEM files; NULL: the system's authorities, none */
    struct arena arena;
};

/* url: "http://HOST:PORT", with or without a path; "env": OTEL_EXPORTER_OTLP_ENDPOINT. protocol:
 * "http/protobuf", "http/json", "grpc"; NULL: the environment's, else gRPC for port 4317, else
 * protobuf. A user name or a password in the address is refused, and no message shows it. 0, or
 * -errno with ERROR_USAGE. Call endpoint_close in either case. */
int endpoint_open(struct endpoint *e, const char *url, const char *protocol, struct error *err);
/* Opens an endpoint for messages that an earlier run kept for url, its endpoint.url. Headers and
 * client certificate are secrets of one collector. If the environment has any, its
 * OTEL_EXPORTER_OTLP_ENDPOINT must have the same scheme, host and port, else -EPERM with
 * ERROR_PERMISSION. Otherwise as endpoint_open. */
int endpoint_open_kept(struct endpoint *e, const char *url, struct error *err);
void endpoint_close(struct endpoint *e);
/* "grpc". */
const char *endpoint_protocol_name(enum endpoint_protocol p);
/* false if no protocol has this name. */
bool endpoint_protocol_find(const char *name, enum endpoint_protocol *out);
/* The address without what may be secret: user name, password, query. For messages. */
void endpoint_shown(const char *url, char *out, size_t size);
