#include "backends/prometheus/http_get.h"

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
#include "engine/value/value.h"

int http_address_check(const char *url, const char *what, struct error *err)
{
    const char *host = NULL;
    if (strncasecmp(url, "http://", 7) == 0)
        host = url + 7;
    else if (strncasecmp(url, "https://", 8) == 0)
        host = url + 8;
    if (!host)
        return error_set(err, ERROR_USAGE, EINVAL, "http://HOST:PORT", what,
                         "an address begins with http:// or https://");
    const size_t n = strcspn(host, "/?#");
    if (n == 0 || strpbrk(url, " \t\r\n"))
        return error_set(err, ERROR_USAGE, EINVAL, "http://HOST:PORT", what,
                         n ? "an address has no blanks" : "the address names no host");
    if (memchr(host, '@', n))
        return error_set(err, ERROR_USAGE, EINVAL,
                         "put them into a file (--prom-auth FILE) or into ROOFTOP_PROM_AUTH", what,
                         "the address has a name or a password, which others see in the list of "
                         "processes");
    return 0;
}

char *http_escaped(const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    char *out = xcalloc(strlen(text) * 3 + 1, 1);
    char *p = out;
    for (; *text; text++) {
        if (strchr(plain, *text))
            *p++ = *text;
        else
            p += sprintf(p, "%%%02X", (unsigned char)*text);
    }
    return out;
}

#if ROOFTOP_HAS_CURL

enum { REDIRECTIONS = 3, AT_ONCE = 4 /* largest answers that are held at the same time */ };

struct slot {
    CURL *curl; /* kept, and its connection with it */
    struct curl_slist *headers;
    struct http_reply reply;
    size_t cap, limit;
    curl_off_t told; /* how large the answer says that it is; -1: it does not */
    struct http_gets *of;
    bool busy, huge, many; /* its answer, or all that come at the same time, are too large */
    char *form;
    char details[CURL_ERROR_SIZE];
};

struct http_gets {
    const struct curl_library *lib;
    CURLM *multi;
    struct slot *slots;
    size_t n;
    size_t held; /* bytes of answers that are not yet taken */
    struct http_limits limits;
    const struct credentials *credentials;
};

struct http_gets *http_gets_new(size_t slots, struct http_limits limits,
                                const struct credentials *c, struct error *err)
{
    const struct curl_library *lib = curl_library();
    if (!lib) {
        error_set(err, ERROR_UNSUPPORTED, ENOTSUP, linkage_help("apt-get install libcurl4"),
                  "ask over HTTP", "%s",
                  linkage_reason("libcurl.so.4, which speaks HTTP, is not installed"));
        return NULL;
    }
    struct http_gets *g = xcalloc(1, sizeof *g);
    *g = (struct http_gets){.lib = lib,
                            .multi = lib->multi_init(),
                            .slots = xcalloc(slots ? slots : 1, sizeof *g->slots),
                            .n = slots,
                            .limits = limits,
                            .credentials = c};
    return g;
}

static void end_slot(struct http_gets *g, struct slot *s)
{
    if (s->busy)
        g->lib->multi_remove(g->multi, s->curl);
    g->lib->free_all(s->headers);
    free(s->form);
    s->headers = NULL;
    s->form = NULL;
    s->busy = false;
}

void http_gets_free(struct http_gets *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++) {
        struct slot *s = &g->slots[i];
        end_slot(g, s);
        free(s->reply.body);
        if (s->curl)
            g->lib->cleanup(s->curl);
    }
    g->lib->multi_cleanup(g->multi);
    free(g->slots);
    free(g);
}

/* How much may be held of all answers that come at the same time. */
static size_t find_most(const struct http_gets *g)
{
    return g->limits.bytes < SIZE_MAX / AT_ONCE ? g->limits.bytes * AT_ONCE : SIZE_MAX;
}

static size_t keep_answer(char *data, size_t one, size_t n, void *ctx)
{
    struct slot *s = ctx;
    const size_t more = one * n;
    if (s->reply.n == 0)
        s->of->lib->getinfo(s->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &s->told);
    s->huge = s->told > (curl_off_t)s->limit || more > s->limit - s->reply.n;
    s->many = more > find_most(s->of) - s->of->held;
    if (s->huge || s->many)
        return 0; /* ends the request */
    s->of->held += more;
    if (s->reply.n + more + 1 > s->cap) {
        s->cap = 2 * (s->reply.n + more + 1);
        s->cap = s->cap < s->limit ? s->cap : s->limit + 1;
        s->reply.body = xrealloc(s->reply.body, s->cap, 1);
    }
    memcpy(s->reply.body + s->reply.n, data, more);
    s->reply.n += more;
    s->reply.body[s->reply.n] = '\0';
    return more;
}

static void add_credentials(const struct http_gets *g, CURL *curl)
{
    const struct credentials *c = g->credentials;
    const struct curl_library *lib = g->lib;
    if (c && c->bearer) {
        lib->setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        lib->setopt(curl, CURLOPT_XOAUTH2_BEARER, c->bearer);
    } else if (c && c->basic) {
        lib->setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        lib->setopt(curl, CURLOPT_USERPWD, c->basic);
    }
}

static void set_up_request(const struct http_gets *g, struct slot *s, const char *url)
{
    const struct curl_library *lib = g->lib;
    const char *authorities = env_get("CURL_CA_BUNDLE");
    lib->reset(s->curl);
    lib->setopt(s->curl, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
    lib->setopt(s->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    lib->setopt(s->curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    lib->setopt(s->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    lib->setopt(s->curl, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    lib->setopt(s->curl, CURLOPT_FOLLOWLOCATION, 1L);
    lib->setopt(s->curl, CURLOPT_MAXREDIRS, (long)REDIRECTIONS);
    lib->setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
    lib->setopt(s->curl, CURLOPT_ACCEPT_ENCODING, "gzip");
    lib->setopt(s->curl, CURLOPT_USERAGENT, "rooftop/" ROOFTOP_VERSION);
    lib->setopt(s->curl, CURLOPT_TIMEOUT_MS, (long)(g->limits.timeout_ns / 1000000u));
    lib->setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
    lib->setopt(s->curl, CURLOPT_WRITEFUNCTION, keep_answer);
    lib->setopt(s->curl, CURLOPT_WRITEDATA, s);
    lib->setopt(s->curl, CURLOPT_ERRORBUFFER, s->details);
    lib->setopt(s->curl, CURLOPT_PRIVATE, s);
    if (s->form)
        lib->setopt(s->curl, CURLOPT_POSTFIELDS, s->form);
    if (authorities && *authorities)
        lib->setopt(s->curl, CURLOPT_CAINFO, authorities);
#if LIBCURL_VERSION_NUM >= 0x075700
    lib->setopt(s->curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a resolver that hangs */
#endif
    add_credentials(g, s->curl);
}

void http_begin(struct http_gets *g, size_t slot, const char *url, const char *form,
                const char *accept)
{
    struct slot *s = &g->slots[slot];
    char header[256];
    if (!s->curl)
        s->curl = g->lib->init();
    s->reply = (struct http_reply){0};
    s->cap = 0;
    s->limit = g->limits.bytes;
    s->of = g;
    s->told = -1;
    s->huge = s->many = false;
    s->details[0] = '\0';
    s->form = form ? xstrdup(form) : NULL;
    snprintf(header, sizeof header, "Accept: %s", accept);
    s->headers = g->lib->append(NULL, header);
    s->headers = g->lib->append(s->headers, "Expect:");
    if (!s->curl)
        return;
    set_up_request(g, s, url);
    s->busy = g->lib->multi_add(g->multi, s->curl) == CURLM_OK;
}

void http_wait(struct http_gets *g, int ms)
{
    int running = 0;
    g->lib->multi_perform(g->multi, &running);
    g->lib->multi_poll(g->multi, NULL, 0, ms, NULL);
    g->lib->multi_perform(g->multi, &running);
}

void http_wake(struct http_gets *g)
{
    g->lib->multi_wakeup(g->multi);
}

/* Says how large the answer is, if it says so itself, and what is taken. */
static void explain_size(struct slot *s)
{
    char size[VALUE_TEXT_MAX] = "", most[VALUE_TEXT_MAX];
    value_text((double)s->limit, UNIT_BYTES, true, most);
    if (s->told > (curl_off_t)s->limit)
        value_text((double)s->told, UNIT_BYTES, true, size);
    print_line(s->reply.why, sizeof s->reply.why,
               "the answer has %s%smore than %s; let it send less, or take more: --max-answer SIZE",
               size, size[0] ? ", " : "", most);
}

/* Says why there is no answer to use. */
static void explain_no_answer(struct http_gets *g, struct slot *s, CURLcode code)
{
    struct http_reply *r = &s->reply;
    if (s->huge)
        explain_size(s);
    else if (s->many)
        print_line(r->why, sizeof r->why,
                   "the answers that come at the same time are larger than %zu MiB; ask fewer "
                   "exporters, or take more: --max-answer SIZE",
                   find_most(g) >> 20);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        print_line(r->why, sizeof r->why, "no whole answer in %.1f s",
                   (double)g->limits.timeout_ns / 1e9);
    else if (code == CURLE_TOO_MANY_REDIRECTS)
        print_line(r->why, sizeof r->why, "redirected more than %d times", REDIRECTIONS);
    else if (code != CURLE_OK)
        print_line(r->why, sizeof r->why, "%s", s->details[0] ? s->details : g->lib->text(code));
    g->held -= r->n;
    if (!r->why[0])
        return;
    free(r->body);
    r->body = NULL;
    r->n = 0;
}

bool http_take(struct http_gets *g, size_t *slot, struct http_reply *reply)
{
    int left;
    const CURLMsg *m;
    while ((m = g->lib->multi_read(g->multi, &left)) && m->msg != CURLMSG_DONE)
        ;
    if (!m)
        return false;
    const CURLcode code = m->data.result;
    struct slot *s = NULL;
    const char *type = NULL;
    long status = 0;
    g->lib->getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
    g->lib->getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
    g->lib->getinfo(s->curl, CURLINFO_CONTENT_TYPE, &type);
    s->reply.status = (int)status;
    print_line(s->reply.type, sizeof s->reply.type, "%s", type ? type : "");
    explain_no_answer(g, s, code);
    if (!s->reply.body && !s->reply.why[0])
        s->reply.body = xstrdup("");
    *reply = s->reply;
    s->reply = (struct http_reply){0};
    *slot = (size_t)(s - g->slots);
    end_slot(g, s);
    return true;
}

#else

struct http_gets *http_gets_new(size_t slots, struct http_limits limits,
                                const struct credentials *c, struct error *err)
{
    (void)slots, (void)limits, (void)c;
    error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "build rooftop with libcurl4-openssl-dev",
              "ask over HTTP", "rooftop was built without libcurl's headers");
    return NULL;
}

void http_gets_free(struct http_gets *g)
{
    (void)g;
}

void http_begin(struct http_gets *g, size_t slot, const char *url, const char *form,
                const char *accept)
{
    (void)g, (void)slot, (void)url, (void)form, (void)accept;
}

void http_wait(struct http_gets *g, int ms)
{
    (void)g, (void)ms;
}

void http_wake(struct http_gets *g)
{
    (void)g;
}

bool http_take(struct http_gets *g, size_t *slot, struct http_reply *reply)
{
    (void)g, (void)slot, (void)reply;
    return false;
}

#endif
