#include "export/delivery/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/curl_library.h"
#include "base/env.h"
#include "base/linkage.h"
#include "base/print.h"

#if ROOFTOP_HAS_CURL
#include <zlib.h>

enum { GRPC_PREFIX = 5 };

static const struct curl_library *lib; /* set by http_available */

bool http_available(enum endpoint_protocol protocol, char *text, size_t size, struct error *err)
{
    lib = curl_library();
    if (!lib) {
        error_set(err, ERROR_UNSUPPORTED, ENOTSUP, linkage_help("apt-get install libcurl4"),
                  "send by OTLP", "%s",
                  linkage_reason("libcurl.so.4, which speaks HTTP, is not installed"));
        return false;
    }
    const curl_version_info_data *v = lib->version(CURLVERSION_NOW);
    const bool two = v->features & CURL_VERSION_HTTP2;
    if (text)
        print_line(text, size, "libcurl %s, %s%s", v->version,
                   v->ssl_version ? v->ssl_version : "no TLS",
                   two ? ", HTTP/2" : "; without HTTP/2, so no gRPC");
    if (protocol != ENDPOINT_GRPC || two)
        return true;
    error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
              "use HTTP: --otlp http://HOST:4318, where collectors listen too", "send by gRPC",
              "this libcurl has no HTTP/2");
    return false;
}

/* --- one request --- */

struct http {
    CURL *curl;
    const struct endpoint *endpoint;
};

struct request {
    struct answer *answer;
    bool (*stop)(void *ctx);
    void *ctx;
};

static size_t on_header(char *line, size_t one, size_t n, void *ctx)
{
    const struct request *r = ctx;
    size_t len = one * n;
    while (len && (line[len - 1] == '\r' || line[len - 1] == '\n'))
        len--;
    answer_header(r->answer, line, len, env_wall_ns());
    return one * n;
}

static size_t take_http_body(char *data, size_t one, size_t n, void *ctx)
{
    struct answer *a = ((const struct request *)ctx)->answer;
    const size_t room = ANSWER_BODY - a->n, len = one * n < room ? one * n : room;
    memcpy(a->body + a->n, data, len);
    a->n += len;
    a->huge = a->huge || len < one * n;
    return a->huge ? 0 : one * n; /* 0 ends the request */
}

static int check_http_stop(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct request *r = ctx;
    (void)a, (void)b, (void)c, (void)d;
    return r->stop && r->stop(r->ctx);
}

static uint8_t *grpc_frame(const void *data, size_t n, size_t *size)
{
    uint8_t *out = xcalloc(n + GRPC_PREFIX, 1);
    for (unsigned i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(n >> (24 - 8 * i));
    memcpy(out + GRPC_PREFIX, data, n);
    *size = n + GRPC_PREFIX;
    return out;
}

static uint8_t *compress_gzip(const void *data, size_t n, size_t *size)
{
    enum { GZIP = 15 + 16, MEMORY = 8 };
    z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)n};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return NULL;
    const size_t bound = deflateBound(&z, (uLong)n);
    uint8_t *out = xcalloc(bound, 1);
    z.next_out = out;
    z.avail_out = (uInt)bound;
    const int rc = deflate(&z, Z_FINISH);
    deflateEnd(&z);
    if (rc == Z_STREAM_END) {
        *size = bound - z.avail_out;
        return out;
    }
    free(out);
    return NULL;
}

static struct curl_slist *headers_of(const struct endpoint *e, enum endpoint_protocol protocol,
                                     bool packed)
{
    static const char *const types[] = {[ENDPOINT_PROTOBUF] =
                                            "content-type: application/x-protobuf",
                                        [ENDPOINT_JSON] = "content-type: application/json",
                                        [ENDPOINT_GRPC] = "content-type: application/grpc"};
    struct curl_slist *list = lib->append(NULL, types[protocol]);
    list = lib->append(list, "expect:"); /* saves a round trip before the body */
    if (protocol == ENDPOINT_GRPC)
        list = lib->append(list, "te: trailers");
    if (packed)
        list = lib->append(list, "content-encoding: gzip");
    for (size_t i = 0; e->headers[i]; i++)
        list = lib->append(list, e->headers[i]);
    return list;
}

static void set_up_http_request(const struct http *h, enum endpoint_protocol protocol)
{
    const struct endpoint *e = h->endpoint;
    const bool tls = strncasecmp(e->url, "https", 5) == 0;
    long version = CURL_HTTP_VERSION_1_1;
    if (protocol == ENDPOINT_GRPC)
        version = tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    lib->reset(h->curl);
    lib->setopt(h->curl, CURLOPT_URL, e->url);
    lib->setopt(h->curl, CURLOPT_HTTP_VERSION, version);
    lib->setopt(h->curl, CURLOPT_POST, 1L);
    lib->setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
    lib->setopt(h->curl, CURLOPT_FOLLOWLOCATION, 0L);
    lib->setopt(h->curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); /* not the collector's */
#if LIBCURL_VERSION_NUM >= 0x075700
    lib->setopt(h->curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a resolver that hangs */
#endif
    lib->setopt(h->curl, CURLOPT_USERAGENT, "rooftop/" ROOFTOP_VERSION);
    lib->setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)(e->timeout_ns / 1000000u));
    /* libcurl 7.88 fails at the second request on a connection of HTTP/2 without TLS */
    lib->setopt(h->curl, CURLOPT_FORBID_REUSE, (long)(protocol == ENDPOINT_GRPC && !tls));
    if (e->authority)
        lib->setopt(h->curl, CURLOPT_CAINFO, e->authority);
    if (e->certificate)
        lib->setopt(h->curl, CURLOPT_SSLCERT, e->certificate);
    if (e->key)
        lib->setopt(h->curl, CURLOPT_SSLKEY, e->key);
}

/* Whether another attempt would fail too, so that the user must change something. */
static bool is_lasting(CURLcode code)
{
    return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
           code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CONNECT_ERROR;
}

static void explain_failure(struct answer *a, CURLcode code, const char *details)
{
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && a->huge))
        return;
    print_line(a->broken, sizeof a->broken, "%s", details[0] ? details : lib->text(code));
    a->address = is_lasting(code);
}

void http_post(struct http *h, enum endpoint_protocol protocol, const void *data, size_t n,
               bool (*stop)(void *ctx), void *ctx, struct answer *out)
{
    struct request r = {.answer = out, .stop = stop, .ctx = ctx};
    char details[CURL_ERROR_SIZE] = "";
    long status = 0;
    size_t size = n;
    *out = (struct answer){.grpc = -1};
    const bool framed = protocol == ENDPOINT_GRPC;
    uint8_t *made = NULL;
    if (framed)
        made = grpc_frame(data, n, &size);
    else if (h->endpoint->gzip)
        made = compress_gzip(data, n, &size);
    struct curl_slist *headers = headers_of(h->endpoint, protocol, made && !framed);
    set_up_http_request(h, protocol);
    lib->setopt(h->curl, CURLOPT_HTTPHEADER, headers);
    lib->setopt(h->curl, CURLOPT_POSTFIELDS, made ? made : data);
    lib->setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    lib->setopt(h->curl, CURLOPT_HEADERFUNCTION, on_header);
    lib->setopt(h->curl, CURLOPT_HEADERDATA, &r);
    lib->setopt(h->curl, CURLOPT_WRITEFUNCTION, take_http_body);
    lib->setopt(h->curl, CURLOPT_WRITEDATA, &r);
    lib->setopt(h->curl, CURLOPT_XFERINFOFUNCTION, check_http_stop);
    lib->setopt(h->curl, CURLOPT_XFERINFODATA, &r);
    lib->setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
    lib->setopt(h->curl, CURLOPT_ERRORBUFFER, details);
    const CURLcode code = lib->perform(h->curl);
    lib->getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
    out->status = (int)status;
    explain_failure(out, code, details);
    lib->setopt(h->curl, CURLOPT_ERRORBUFFER, NULL);
    lib->free_all(headers);
    free(made);
}

struct http *http_open(const struct endpoint *e, struct error *err)
{
    if (!http_available(e->protocol, NULL, 0, err))
        return NULL;
    struct http *h = xcalloc(1, sizeof *h);
    h->endpoint = e;
    h->curl = lib->init();
    if (h->curl)
        return h;
    free(h);
    error_set(err, ERROR_INTERNAL, ENOMEM, NULL, "send by OTLP", "libcurl cannot be used");
    return NULL;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    lib->cleanup(h->curl);
    free(h);
}

#else

bool http_available(enum endpoint_protocol protocol, char *text, size_t size, struct error *err)
{
    (void)protocol, (void)text, (void)size;
    error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
              "build rooftop with libcurl4-openssl-dev, or export to a file: rooftop export "
              "--format otlp",
              "send by OTLP", "rooftop was built without libcurl's headers");
    return false;
}

struct http *http_open(const struct endpoint *e, struct error *err)
{
    http_available(e->protocol, NULL, 0, err);
    return NULL;
}

void http_close(struct http *h)
{
    (void)h;
}

void http_post(struct http *h, enum endpoint_protocol protocol, const void *data, size_t n,
               bool (*stop)(void *ctx), void *ctx, struct answer *out)
{
    (void)h, (void)protocol, (void)data, (void)n, (void)stop, (void)ctx;
    *out = (struct answer){.grpc = -1, .broken = "there is no libcurl"};
}

#endif
