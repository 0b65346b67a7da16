#include "export/delivery/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/env.h"

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

enum { VARIABLE = 64 };

/* The name of the variable for traces if it is set, else of the one for all signals. */
static const char *find_otlp_variable(const char *name, char out[VARIABLE])
{
    snprintf(out, VARIABLE, "OTEL_EXPORTER_OTLP_TRACES_%s", name);
    if (!env_get(out))
        snprintf(out, VARIABLE, "OTEL_EXPORTER_OTLP_%s", name);
    return out;
}

static const char *get_otlp_setting(const char *name)
{
    char variable[VARIABLE];
    return env_get(find_otlp_variable(name, variable));
}

static int refuse_endpoint(struct error *err, const char *what, const char *why, const char *help)
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

/* Whether the address names a user: "http://user:password@host". */
static bool names_user(const char *url)
{
    return memchr(host_of(url), '@', strcspn(host_of(url), "/?#"));
}

/* The text after the host's colon, n bytes long; NULL if there is no colon. */
static const char *port_of(const char *url, size_t *n)
{
    const char *host = host_of(url), *end = host + strcspn(host, "/?#");
    const char *colon = memrchr(host, ':', (size_t)(end - host));
    if (!colon || memchr(colon, ']', (size_t)(end - colon))) /* a colon inside [::1] */
        return NULL;
    *n = (size_t)(end - colon - 1);
    return colon + 1;
}

/* Whether there is no port, an empty one, or a number from 1 to 65535. */
static bool port_is_sound(const char *url)
{
    size_t n;
    const char *port = port_of(url, &n);
    if (!port || n == 0)
        return true;
    const unsigned long v = strtoul(port, NULL, 10);
    return strspn(port, "0123456789") == n && v >= 1 && v <= 65535;
}

static int check_url(const char *url, size_t longest, struct error *err)
{
    static const char help[] = "as in --otlp http://localhost:4318",
                      it[] = "the collector's address";
    const char *shown = strpbrk(url, "@?") ? it : url; /* does not print what may be secret */
    if (names_user(url))
        return refuse_endpoint(err, it, "it has a user name or a password, which others could read",
                               "put them into a header: OTEL_EXPORTER_OTLP_HEADERS="
                               "'authorization=Basic%20...', base64 of USER:PASSWORD");
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return refuse_endpoint(err, shown, "it does not begin with http:// or https://", help);
    if (strcspn(host_of(url), "/?#:") == 0 || strlen(url) > longest)
        return refuse_endpoint(err, shown, "it is no address of a collector", help);
    for (const unsigned char *p = (const unsigned char *)url; *p; p++)
        if (*p <= ' ' || *p >= 0x7f || *p == '\\')
            return refuse_endpoint(err, it, "it has a character that addresses do not have", help);
    if (!port_is_sound(url))
        return refuse_endpoint(err, shown, "its port is no number from 1 to 65535", help);
    return 0;
}

struct origin {
    const char *host, *port;
    size_t nscheme, nhost, nport;
};

/* false if the origin is not certain. */
static bool read_url_origin(const char *url, struct origin *o)
{
    struct error unused = ERROR_INIT;
    if (check_url(url, ENDPOINT_URL - 1, &unused) != 0)
        return false;
    o->host = host_of(url);
    o->nscheme = (size_t)(o->host - url) - strlen("://");
    size_t n = 0;
    const char *end = o->host + strcspn(o->host, "/?#"), *port = port_of(url, &n);
    o->nhost = (size_t)((port ? port - 1 : end) - o->host);
    if (n == 0) {
        port = o->nscheme == strlen("http") ? "80" : "443";
        n = strlen(port);
    }
    o->port = port;
    o->nport = n;
    return true;
}

/* Whether both have the same scheme, host and port. */
static bool is_same_url_origin(const char *url, const char *other)
{
    struct origin a, b;
    return url && other && read_url_origin(url, &a) && read_url_origin(other, &b) &&
           a.nscheme == b.nscheme && a.nhost == b.nhost && a.nport == b.nport &&
           strncasecmp(a.host, b.host, a.nhost) == 0 && memcmp(a.port, b.port, a.nport) == 0;
}

/* The address that the environment names, or NULL. */
static const char *url_of_environment(bool *whole)
{
    const char *own = env_get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    *whole = own;
    return own ? own : env_get("OTEL_EXPORTER_OTLP_ENDPOINT");
}

/* whole: the address already has the path for traces, so nothing is added. */
static void make_url(struct endpoint *e, const char *url, bool whole)
{
    const char *path = host_of(url) + strcspn(host_of(url), "/?#");
    const bool none = !*path || strcmp(path, "/") == 0;
    size_t n = strlen(url);
    if (e->protocol == ENDPOINT_GRPC) { /* an address of gRPC has only scheme, host and port */
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
    const char *name = given ? given : get_otlp_setting("PROTOCOL");
    e->protocol = is_port(url, "4317") ? ENDPOINT_GRPC : ENDPOINT_PROTOBUF;
    if (!name || endpoint_protocol_find(name, &e->protocol))
        return 0;
    return refuse_endpoint(err, name, "there is no such protocol",
                           "use http/protobuf, http/json or grpc");
}

static int choose_url(struct endpoint *e, const char *given, const char *protocol,
                      struct error *err)
{
    enum { LONGEST = ENDPOINT_URL - sizeof GRPC_PATH }; /* the path is appended */
    bool whole = true;
    const char *url = strcmp(given, "env") == 0 ? url_of_environment(&whole) : given;
    if (!url)
        return refuse_endpoint(err, "--otlp env", "OTEL_EXPORTER_OTLP_ENDPOINT is not set",
                               "set it, or give the address: --otlp http://localhost:4318");
    int rc = check_url(url, LONGEST, err);
    if (rc == 0)
        rc = choose_protocol(e, url, protocol, err);
    if (rc == 0)
        make_url(e, url, whole);
    return rc;
}

/* --- headers --- */

/* Whether the name is a token of RFC 9110 and the value has no control character, which could end
 * the header and begin another one. */
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
            return refuse_endpoint(err, "OTEL_EXPORTER_OTLP_HEADERS", "an entry has no '='",
                                   "write it as name=value,name=value");
        *value++ = '\0';
        char *name = ascii_trim(pair);
        for (char *p = name; *p; p++)
            *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p); /* gRPC allows only lower case */
        value = ascii_percent(ascii_trim(value));
        if (!is_header(name, value) || n + 1 >= ENDPOINT_HEADERS)
            return refuse_endpoint(
                err, "OTEL_EXPORTER_OTLP_HEADERS",
                n + 1 >= ENDPOINT_HEADERS ? "it has too many entries"
                                          : "an entry is no header of HTTP",
                "write it as name=value,name=value, with %XX for other characters");
        e->headers[n++] = arena_printf(&e->arena, "%s: %s", name, value);
    }
    return 0;
}

/* --- the endpoint --- */

static int take_settings(struct endpoint *e, struct error *err)
{
    enum { DEFAULT_MS = 10000, MOST_MS = 600000 };
    const char *timeout = get_otlp_setting("TIMEOUT"),
               *compression = get_otlp_setting("COMPRESSION");
    char *end = NULL;
    unsigned long ms = timeout ? strtoul(timeout, &end, 10) : DEFAULT_MS;
    if (timeout && (*end || ms == 0 || ms > MOST_MS))
        return refuse_endpoint(err, "OTEL_EXPORTER_OTLP_TIMEOUT", "it is no number of milliseconds",
                               "give one from 1 to 600000");
    e->timeout_ns = ms * UINT64_C(1000000);
    e->gzip = compression && strcmp(compression, "gzip") == 0;
    if (compression && !e->gzip && strcmp(compression, "none") != 0)
        return refuse_endpoint(err, "OTEL_EXPORTER_OTLP_COMPRESSION",
                               "there is no such compression", "use gzip or none");
    e->authority = get_otlp_setting("CERTIFICATE");
    e->certificate = get_otlp_setting("CLIENT_CERTIFICATE");
    e->key = get_otlp_setting("CLIENT_KEY");
    return 0;
}

int endpoint_open(struct endpoint *e, const char *url, const char *protocol, struct error *err)
{
    *e = (struct endpoint){0};
    int rc = choose_url(e, url, protocol, err);
    if (rc == 0)
        rc = take_settings(e, err);
    if (rc == 0 && get_otlp_setting("HEADERS"))
        rc = take_headers(e, get_otlp_setting("HEADERS"), err);
    return rc;
}

/* Finds the first variable of the environment that is a secret of its own collector. */
static bool find_secret(char variable[VARIABLE])
{
    static const char *const names[] = {"HEADERS", "CLIENT_CERTIFICATE", "CLIENT_KEY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (env_get(find_otlp_variable(names[i], variable)))
            return true;
    return false;
}

static int refuse_to_send_secret(const char *url, const char *secret, bool any, struct error *err)
{
    char shown[ENDPOINT_URL], what[sizeof err->what], help[sizeof err->help];
    endpoint_shown(url, shown, sizeof shown);
    snprintf(what, sizeof what, "%.180s", shown);
    snprintf(help, sizeof help,
             "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=%.120s rooftop export otlp sends them with it, "
             "env -u %s rooftop export otlp without",
             shown, secret);
    return error_set(err, ERROR_PERMISSION, EPERM, help, what,
                     any ? "%s is meant for another collector"
                         : "%s is set, but no variable says for which collector",
                     secret);
}

int endpoint_open_kept(struct endpoint *e, const char *url, struct error *err)
{
    bool whole;
    char secret[VARIABLE];
    const char *own = url_of_environment(&whole);
    *e = (struct endpoint){0};
    if (find_secret(secret) && !is_same_url_origin(url, own))
        return refuse_to_send_secret(url, secret, own, err);
    int rc = check_url(url, ENDPOINT_URL - 1, err);
    if (rc == 0)
        rc = take_settings(e, err);
    if (rc == 0 && get_otlp_setting("HEADERS"))
        rc = take_headers(e, get_otlp_setting("HEADERS"), err);
    snprintf(e->url, sizeof e->url, "%s", url);
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
    const char *call = strstr(host, GRPC_PATH); /* cut: it tells people nothing */
    host = at ? at + 1 : host;
    snprintf(out, size, "%.*s%.*s", (int)(host_of(url) - url), url, (int)strcspn(host, "?#"), host);
    if (call && strlen(out) >= sizeof GRPC_PATH - 1)
        out[strlen(out) - (sizeof GRPC_PATH - 1)] = '\0';
}
