/*
 * Messages reach a collector whatever it does: it is away, killed and restarted, busy, broken, or
 * silent; what it does not take stays in the spool for the next run.
 */
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif

#include "base/env.h"
#include "export/delivery/delivery.h"
#include "export/delivery/http.h"
#include "support/collector.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define SECOND UINT64_C(1000000000)

static char url[128], folder[128];
static struct endpoint endpoint;
static struct delivery_config config;

/* A run that sends to this port; ms: how long it waits at the end. */
static struct delivery *begin(int port, const char *protocol, uint64_t wait_ns)
{
    struct error err = ERROR_INIT;
    struct delivery *d;
    if (!http_available(protocol && strcmp(protocol, "grpc") == 0 ? ENDPOINT_GRPC
                                                                  : ENDPOINT_PROTOBUF,
                        NULL, 0, &err))
        skip_because("sending spans: %s", err.why);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    snprintf(folder, sizeof folder, "%s/spool", temp_folder);
    if (endpoint_open(&endpoint, url, protocol, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    config = (struct delivery_config){
        .endpoint = &endpoint, .spool = folder, .wait_ns = wait_ns, .pause_ns = 1000000};
    if (delivery_open(&d, &config, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return d;
}

static int add(struct delivery *d, const char *text, uint32_t spans)
{
    struct error err = ERROR_INIT;
    const void *part[SPOOL_PARTS] = {"<", text, ">"};
    const size_t size[SPOOL_PARTS] = {1, strlen(text), 1};
    return delivery_add(d, part, size, spans, false, &err);
}

static struct delivery_report end(struct delivery *d)
{
    struct delivery_report r;
    delivery_end(d, &r);
    endpoint_close(&endpoint);
    return r;
}

static void got(const struct collector *c, size_t i, const char *text)
{
    if (i >= c->n)
        fail_msg("request %zu never came", i);
    if (c->list[i].n != strlen(text) || memcmp(c->list[i].body, text, c->list[i].n) != 0)
        fail_msg("request %zu is %.*s, not %s", i, (int)c->list[i].n, (char *)c->list[i].body,
                 text);
}

/* --- cases --- */

TEST_WITH(test_sends, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {ANSWER_200, NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, NULL, 60 * SECOND);
    assert_int_equal(add(d, "one", 3), 0);
    assert_int_equal(add(d, "two", 4), 0);
    const struct delivery_report r = end(d);
    collector_stop(&c);
    assert_int_equal(r.taken, 7);
    assert_int_equal(r.messages, 2);
    assert_int_equal(r.waiting, 0);
    got(&c, 0, "<one>");
    got(&c, 1, "<two>");
    assert_non_null(strstr(c.list[0].head, "POST /v1/traces HTTP/1.1\r\n"));
    assert_non_null(strstr(c.list[0].head, "content-type: application/x-protobuf\r\n"));
    collector_free(&c);
}

/* Each of these answers is followed by one that takes the message: nothing is lost, and it comes
 * again as it was. */
TEST_WITH(test_comes_again, temp_folder_make, temp_folder_remove)
{
    static const char *const busy[] = {
        "HTTP/1.1 503 Away\r\nconnection: close\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 429 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 502 Proxy\r\nconnection: close\r\ncontent-length: 4\r\n\r\noops",
        "HTTP/1.1 504 Slow\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        ANSWER_CUT,
        ANSWER_NONE,
        "HTTP/1.1 2"};
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        const char *const answers[] = {busy[i], busy[i], ANSWER_200, NULL};
        struct collector c;
        collector_start(&c, 0, answers);
        struct delivery *d = begin(c.port, NULL, 60 * SECOND);
        add(d, "span", 1);
        const struct delivery_report r = end(d);
        collector_stop(&c);
        if (r.taken != 1 || r.waiting || r.lost || c.n != 3)
            fail_msg("after '%.20s': %d taken, %d wait, %zu requests; %s", busy[i], (int)r.taken,
                     (int)r.waiting, c.n, r.why);
        got(&c, 2, "<span>");
        collector_free(&c);
    }
}

/* A message that is bad is given up and counted; the next one is sent. */
TEST_WITH(test_refused, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {
        "HTTP/1.1 400 Bad\r\nconnection: close\r\ncontent-type: application/json\r\n"
        "content-length: 28\r\n\r\n{\"message\":\"too \\u001b[31m\"}",
        ANSWER_200, NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, NULL, 60 * SECOND);
    add(d, "bad", 5);
    add(d, "good", 2);
    const struct delivery_report r = end(d);
    collector_free(&c);
    assert_int_equal(r.refused, 5);
    assert_int_equal(r.taken, 2);
    assert_int_equal(r.waiting, 0);
    assert_non_null(strstr(r.rejected_why, "HTTP status 400: too ?[31m"));
}

TEST_WITH(test_partly, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n"
        "content-length: 66\r\n\r\n"
        "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old\"}}  ",
        NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, "http/json", 60 * SECOND);
    add(d, "spans", 5);
    const struct delivery_report r = end(d);
    collector_stop(&c);
    assert_int_equal(r.taken, 3);
    assert_int_equal(r.rejected, 2);
    assert_string_equal(r.rejected_why, "too old");
    assert_non_null(strstr(c.list[0].head, "content-type: application/json\r\n"));
    collector_free(&c);
}

/* Where the address is wrong, trying again is of no use: the rest waits, and one request was made.
 * Redirections are not followed. */
TEST_WITH(test_stops, temp_folder_make, temp_folder_remove)
{
    static const char moved[] =
        "HTTP/1.1 307 There\r\nconnection: close\r\nlocation: http://127.0.0.1:1/there\r\n"
        "content-length: 0\r\n\r\n";
    static const char *const wrong[] = {
        "HTTP/1.1 404 Nothing\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 401 Who\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", moved,
        "no HTTP at all\r\n\r\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const answers[] = {wrong[i], NULL};
        static const char *const good[] = {ANSWER_200, NULL};
        struct collector c;
        collector_start(&c, 0, answers);
        struct delivery *d = begin(c.port, NULL, 60 * SECOND);
        add(d, "one", 3);
        add(d, "two", 4);
        struct delivery_report r = end(d);
        const int port = c.port;
        collector_stop(&c);
        assert_int_equal(r.taken, 0);
        assert_int_equal(r.waiting, 7);
        assert_int_equal(c.n, 1);
        if (i == 2)
            assert_non_null(strstr(r.why, "moved to http://127.0.0.1:1/there"));
        collector_free(&c);
        collector_start(&c, port, good);
        r = end(begin(port, NULL, 60 * SECOND)); /* the next run, with nothing of its own */
        collector_stop(&c);
        assert_int_equal(r.taken, 7);
        got(&c, 0, "<one>");
        got(&c, 1, "<two>");
        collector_free(&c);
    }
}

/* Killed in the middle of a run and started again on the same port: every message comes. */
TEST_WITH(test_restarted, temp_folder_make, temp_folder_remove)
{
    enum { MESSAGES = 40 };
    static const char *const answers[] = {ANSWER_200, NULL};
    static const char *const killed[] = {ANSWER_200, ANSWER_200, ANSWER_200, ANSWER_SILENT, NULL};
    struct collector c, again;
    bool came[MESSAGES] = {false};
    collector_start(&c, 0, killed);
    struct delivery *d = begin(c.port, NULL, 60 * SECOND);
    for (int i = 0; i < MESSAGES / 2; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        add(d, text, 1);
    }
    collector_wait(&c, 4); /* the fourth gets no answer */
    collector_stop(&c);
    for (int i = MESSAGES / 2; i < MESSAGES; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        add(d, text, 1);
    }
    collector_start(&again, c.port, answers);
    const struct delivery_report r = end(d);
    collector_stop(&again);
    assert_int_equal(r.taken, MESSAGES);
    assert_int_equal(r.waiting, 0);
    for (size_t i = 0; i < 3 + again.n; i++) {
        const struct collector_request *m = i < 3 ? &c.list[i] : &again.list[i - 3];
        char text[16];
        snprintf(text, sizeof text, "%.*s", (int)m->n, (const char *)m->body);
        came[atoi(text + 1)] = true;
    }
    for (int i = 0; i < MESSAGES; i++)
        if (!came[i])
            fail_msg("message %d was never taken", i);
    collector_free(&c);
    collector_free(&again);
}

/* Nobody there, or nobody who answers: the end comes all the same, and everything waits. */
TEST_WITH(test_away, temp_folder_make, temp_folder_remove)
{
    static const char *const silent[] = {ANSWER_SILENT, NULL};
    struct delivery *d = begin(collector_free_port(), NULL, 0);
    add(d, "one", 3);
    struct delivery_report r = end(d);
    assert_int_equal(r.waiting, 3);
    struct collector c;
    collector_start(&c, 0, silent);
    d = begin(c.port, NULL, 0);
    add(d, "two", 4);
    collector_wait(&c, 1);
    r = end(d); /* the request is given up */
    assert_int_equal(r.taken, 0);
    assert_int_equal(r.waiting, 4);
    collector_free(&c);
}

TEST_WITH(test_huge_answer, temp_folder_make, temp_folder_remove)
{
    enum { HUGE = 1 << 20 };
    static char answer[HUGE + 256];
    const int n = snprintf(answer, sizeof answer,
                           "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: "
                           "application/x-protobuf\r\ncontent-length: %d\r\n\r\n",
                           HUGE);
    memset(answer + n, 'x', HUGE);
    const char *const answers[] = {answer, NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, NULL, 60 * SECOND);
    add(d, "one", 3);
    const struct delivery_report r = end(d);
    collector_free(&c);
    assert_int_equal(r.taken, 3);
    assert_int_equal(r.requests, 1);
}

/* Each look at the clock finds a second more. */
static uint64_t hurried(void *ctx)
{
    return __atomic_add_fetch((uint64_t *)ctx, SECOND, __ATOMIC_SEQ_CST);
}

/* A collector that takes one message after the other, but slowly, holds the end up only so long. */
TEST_WITH(test_slow, temp_folder_make, temp_folder_remove)
{
    enum { MESSAGES = 2000 };
    static const char *const answers[] = {ANSWER_200, NULL};
    struct collector c;
    struct delivery_report r;
    struct error err = ERROR_INIT;
    uint64_t now = SECOND;
    struct delivery *d = begin(collector_free_port(), NULL, 0);
    for (int i = 0; i < MESSAGES; i++)
        assert_int_equal(add(d, "one", 1), 0);
    delivery_end(d, &r);
    assert_int_equal(r.waiting, MESSAGES);
    endpoint_close(&endpoint);
    collector_start(&c, 0, answers);
    env_set_clock(hurried, &now);
    d = begin(c.port, NULL, 0);
    delivery_end(d, &r);
    config.any_address = true;
    config.wait_ns = 1000 * SECOND;
    config.whole_ns = 2000 * SECOND;
    assert_int_equal(delivery_open(&d, &config, &err), 0);
    delivery_end(d, &r);
    env_set_clock(NULL, NULL);
    endpoint_close(&endpoint);
    collector_stop(&c);
    collector_free(&c);
    assert_true(r.waiting > 0);
    assert_int_equal(r.taken + r.waiting, MESSAGES);
}

/* The spool takes no more than it may; what finds no room is counted. */
TEST_WITH(test_full, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct delivery *d = begin(collector_free_port(), NULL, 0);
    struct delivery_report r;
    delivery_end(d, &r);
    config.spool_bytes = 2000;
    assert_int_equal(delivery_open(&d, &config, &err), 0);
    uint64_t kept = 0, lost = 0;
    for (int i = 0; i < 20; i++) {
        char text[300];
        memset(text, 'x', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        if (add(d, text, 10) == 0)
            kept += 10;
        else
            lost += 10;
    }
    r = end(d);
    assert_true(kept > 0 && lost > 0);
    assert_int_equal(r.lost, lost);
    assert_int_equal(r.waiting, kept);
    assert_true(r.waiting_bytes <= 2000);
}

TEST_WITH(test_headers, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {ANSWER_200, NULL};
    struct collector c;
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Key=se%63ret, other=two%20words", 1);
    setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", 1);
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, NULL, 60 * SECOND);
    add(d, "one", 3);
    const struct delivery_report r = end(d);
    unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
    unsetenv("OTEL_EXPORTER_OTLP_COMPRESSION");
    collector_stop(&c);
    assert_int_equal(r.taken, 3);
    assert_non_null(strstr(c.list[0].head, "x-key: secret\r\n"));
    assert_non_null(strstr(c.list[0].head, "other: two words\r\n"));
    assert_non_null(strstr(c.list[0].head, "content-encoding: gzip\r\n"));
    assert_true(c.list[0].n > 2 && c.list[0].body[0] == 0x1f && c.list[0].body[1] == 0x8b);
    collector_free(&c);
}

TEST_WITH(test_grpc, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {
        "grpc 14 away", ANSWER_NONE, "grpc 8 busy", ANSWER_GRPC_PART, "grpc 3 bad", "grpc 0", NULL};
    static char large[300000];
    struct collector c;
    memset(large, 'x', sizeof large - 1);
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, "grpc", 60 * SECOND);
    add(d, "one", 3);
    add(d, "two", 4);
    add(d, large, 5); /* more than a window of HTTP/2 */
    const struct delivery_report r = end(d);
    collector_stop(&c);
    if (r.rejected != 1)
        fail_msg("%d rejected of %zu requests; %s", (int)r.rejected, c.n, r.why);
    assert_int_equal(r.refused, 4);
    assert_int_equal(r.taken, 2 + 5);
    assert_int_equal(r.waiting, 0);
    assert_int_equal(c.n, 6);
    assert_int_equal(c.list[3].n, 5 + 5);
    assert_memory_equal(c.list[3].body, "\0\0\0\0\5<one>", 10);
    assert_int_equal(c.list[5].n, 5 + 2 + sizeof large - 1);
    collector_free(&c);
}

TEST_WITH(test_grpc_wrong, temp_folder_make, temp_folder_remove)
{
    static const char *const answers[] = {"grpc 16 who", NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    struct delivery *d = begin(c.port, "grpc", 60 * SECOND);
    add(d, "one", 3);
    const struct delivery_report r = end(d);
    collector_free(&c);
    assert_int_equal(r.waiting, 3);
    assert_string_equal(r.why, "it answers gRPC status 16: who");
}

/* Two runs with one spool: each message is sent once. */
TEST_WITH(test_shared, temp_folder_make, temp_folder_remove)
{
    enum { EACH = 20 };
    static const char *const answers[] = {ANSWER_200, NULL};
    struct collector c;
    struct delivery *b;
    struct error err = ERROR_INIT;
    struct delivery_report x, y;
    collector_start(&c, 0, answers);
    struct delivery *a = begin(c.port, NULL, 60 * SECOND);
    assert_int_equal(delivery_open(&b, &config, &err), 0);
    for (int i = 0; i < EACH; i++) {
        add(a, "a", 1);
        add(b, "b", 1);
    }
    delivery_end(a, &x);
    delivery_end(b, &y);
    endpoint_close(&endpoint);
    collector_stop(&c);
    assert_int_equal(c.n, 2 * EACH);
    assert_int_equal(x.taken + y.taken, 2 * EACH);
    collector_free(&c);
}

/* --- a resolver that hangs --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool asked, released, answered;

/* Stands in for libc's, also for libcurl: the name "hangs" has no answer until the test has ended
 * its delivery, or gives up. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    enum { GIVE_UP_S = 20 };
    if (!name || strcmp(name, "hangs") != 0) {
        int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
        return real(name, service, hints, out);
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GIVE_UP_S;
    pthread_mutex_lock(&lock);
    asked = true;
    pthread_cond_broadcast(&changed);
    while (!released && pthread_cond_timedwait(&changed, &lock, &until) == 0)
        ;
    answered = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return EAI_FAIL;
}

/* The end does not wait for a resolver that hangs. */
TEST_WITH(test_resolver, temp_folder_make, temp_folder_remove)
{
#if !__has_include(<curl/curl.h>) || LIBCURL_VERSION_NUM < 0x075700
    skip_because("quitting at once: libcurl waits for its resolver before 7.87");
#endif
    struct error err = ERROR_INIT;
    struct delivery_report r;
    struct delivery *d = begin(collector_free_port(), NULL, 0);
    delivery_end(d, &r);
    snprintf(endpoint.url, sizeof endpoint.url, "http://hangs/v1/traces");
    if (delivery_open(&d, &config, &err) != 0)
        fail_msg("%s", err.why);
    add(d, "one", 3);
    pthread_mutex_lock(&lock);
    while (!asked)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    r = end(d);
    pthread_mutex_lock(&lock);
    const bool waited = answered;
    released = true;
    pthread_cond_broadcast(&changed);
    while (!answered)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    assert_false(waited);
    assert_int_equal(r.waiting, 3);
}
