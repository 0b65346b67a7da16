#include "export/delivery/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/nearest.h"

static const char *const protocols[] = {
    [ENDPOINT_PROTOBUF] = "http/protobuf", [ENDPOINT_JSON] = "http/json", [ENDPOINT_GRPC] = "grpc"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };
#define GRPC_PATH "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
#define HTTP_PATH "/v1/traces"

const char *endpoint_protocol_name(enum endpoint_protocol p)
{
    return protocols[p];
}

bool endpoint_protocol_find(const char *name, enum endpoint_protocol *out)
{
    for (size_t i = 0; i < PROTOCOLS; i++)
        if (strcmp(protocols[i], name) == 0) {
            *out = (enum endpoint_protocol)i;
            return true;
        }
    return false;
}

/* The variable for traces, else the one for all signals. */
static const char *setting(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "OTEL_EXPORTER_OTLP_TRACES_%s", name);
    if (env_get(variable))
        return env_get(variable);
    snprintf(variable, sizeof variable, "OTEL_EXPORTER_OTLP_%s", name);
    return env_get(variable);
}

static int refuse(struct error *err, const char *what, const char *why, const char *help)
{
    return error_set(err, ERROR_USAGE, EINVAL, help, what, "%s", why);
}

/* --- the address --- */

static const char *host_of(const char *url)
{
    const char *after = strstr(url, "://");
    return after ? after + 3 : url;
}

static bool is_port(const char *url, const char *port)
{
    const char *host = host_of(url);
    const size_t n = strcspn(host, "/?#");
    const char *at = memrchr(host, ':', n);
    return at && strncmp(at + 1, port, strlen(port)) == 0 && at + 1 + strlen(port) == host + n;
}

static int check_url(const char *url, struct error *err)
{
    static const char help[] = "as in --otlp http://localhost:4318";
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return refuse(err, url, "it does not begin with http:// or https://", help);
    if (strcspn(host_of(url), "/?#:") == 0 || strlen(url) > ENDPOINT_URL - sizeof GRPC_PATH)
        return refuse(err, url, "it is no address of a collector", help);
    for (const unsigned char *p = (const unsigned char *)url; *p; p++)
        if (*p <= ' ' || *p >= 0x7f)
            return refuse(err, "the collector's address",
                          "it has a character that addresses do not have", help);
    return 0;
}

/* whole: the path belongs to the signal, and nothing is added. */
static void make_url(struct endpoint *e, const char *url, bool whole)
{
    const char *path = host_of(url) + strcspn(host_of(url), "/?#");
    const bool none = !*path || strcmp(path, "/") == 0;
    size_t n = strlen(url);
    if (e->protocol == ENDPOINT_GRPC) { /* an address of gRPC is scheme, host and port */
        n = (size_t)(path - url);
        snprintf(e->url, sizeof e->url, "%.*s" GRPC_PATH, (int)n, url);
        return;
    }
    while (n && url[n - 1] == '/' && (none || !whole))
        n--;
    snprintf(e->url, sizeof e->url, "%.*s%s", (int)n, url, whole && !none ? "" : HTTP_PATH);
}

static int choose_protocol(struct endpoint *e, const char *url, const char *given,
                           struct error *err)
{
    const char *name = given ? given : setting("PROTOCOL");
    e->protocol = is_port(url, "4317") ? ENDPOINT_GRPC : ENDPOINT_PROTOBUF;
    if (!name || endpoint_protocol_find(name, &e->protocol))
        return 0;
    return refuse(err, name, "there is no such protocol", "use http/protobuf, http/json or grpc");
}

static int choose_url(struct endpoint *e, const char *given, const char *protocol,
                      struct error *err)
{
    const bool env = strcmp(given, "env") == 0;
    const char *own = env_get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    const char *url = !env ? given : own ? own : env_get("OTEL_EXPORTER_OTLP_ENDPOINT");
    if (!url)
        return refuse(err, "--otlp env", "OTEL_EXPORTER_OTLP_ENDPOINT is not set",
                      "set it, or give the address: --otlp http://localhost:4318");
    int rc = check_url(url, err);
    if (rc == 0)
        rc = choose_protocol(e, url, protocol, err);
    if (rc == 0)
        make_url(e, url, !env || own);
    return rc;
}

/* --- headers --- */

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void decode(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        const int high = *p == '%' ? hexadecimal(p[1]) : -1;
        const int low = high >= 0 ? hexadecimal(p[2]) : -1;
        *to++ = low >= 0 ? (char)(high << 4 | low) : *p;
        p += low >= 0 ? 2 : 0;
    }
    *to = '\0';
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = '\0';
    return text;
}

/* A token of RFC 9110 as the name; no control character in the value, which could end the header
 * and begin another one. */
static bool is_header(const char *name, const char *value)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    if (!*name || name[strspn(name, token)])
        return false;
    for (const unsigned char *p = (const unsigned char *)value; *p; p++)
        if ((*p < ' ' && *p != '\t') || *p == 0x7f)
            return false;
    return true;
}

static int take_headers(struct endpoint *e, const char *list, struct error *err)
{
    size_t n = 0;
    char *copy = arena_strdup(&e->arena, list), *rest = NULL;
    for (char *pair = strtok_r(copy, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(pair, '=');
        if (!value)
            return refuse(err, "OTEL_EXPORTER_OTLP_HEADERS", "an entry has no '='",
                          "write it as name=value,name=value");
        *value++ = '\0';
        char *name = trim(pair);
        for (char *p = name; *p; p++)
            *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p); /* gRPC has lower case only */
        value = trim(value);
        decode(value);
        if (!is_header(name, value) || n + 1 >= ENDPOINT_HEADERS)
            return refuse(err, "OTEL_EXPORTER_OTLP_HEADERS",
                          n + 1 >= ENDPOINT_HEADERS ? "it has too many entries"
                                                    : "an entry is no header of HTTP",
                          "write it as name=value,name=value, with %XX for other characters");
        e->headers[n++] = arena_printf(&e->arena, "%s: %s", name, value);
    }
    return 0;
}

/* --- the rest --- */

static int take_settings(struct endpoint *e, struct error *err)
{
    enum { DEFAULT_MS = 10000, MOST_MS = 600000 };
    const char *timeout = setting("TIMEOUT"), *compression = setting("COMPRESSION");
    char *end = NULL;
    unsigned long ms = timeout ? strtoul(timeout, &end, 10) : DEFAULT_MS;
    if (timeout && (*end || ms == 0 || ms > MOST_MS))
        return refuse(err, "OTEL_EXPORTER_OTLP_TIMEOUT", "it is no number of milliseconds",
                      "give one from 1 to 600000");
    e->timeout_ns = ms * UINT64_C(1000000);
    e->gzip = compression && strcmp(compression, "gzip") == 0;
    if (compression && !e->gzip && strcmp(compression, "none") != 0)
        return refuse(err, "OTEL_EXPORTER_OTLP_COMPRESSION", "there is no such compression",
                      "use gzip or none");
    e->authority = setting("CERTIFICATE");
    e->certificate = setting("CLIENT_CERTIFICATE");
    e->key = setting("CLIENT_KEY");
    return 0;
}

int endpoint_open(struct endpoint *e, const char *url, const char *protocol, struct error *err)
{
    *e = (struct endpoint){0};
    int rc = url ? choose_url(e, url, protocol, err) : 0;
    if (rc == 0)
        rc = take_settings(e, err);
    if (rc == 0 && setting("HEADERS"))
        rc = take_headers(e, setting("HEADERS"), err);
    return rc;
}

void endpoint_close(struct endpoint *e)
{
    arena_free(&e->arena);
    *e = (struct endpoint){0};
}

void endpoint_shown(const char *url, char *out, size_t size)
{
    const char *host = host_of(url), *at = memrchr(host, '@', strcspn(host, "/?#"));
    const char *call = strstr(host, GRPC_PATH); /* says nothing to people */
    snprintf(out, size, "%.*s%s", (int)(host - url), url, at ? at + 1 : host);
    if (call && strlen(out) >= sizeof GRPC_PATH - 1)
        out[strlen(out) - (sizeof GRPC_PATH - 1)] = '\0';
}
