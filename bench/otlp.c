/*
 * otlp [SPANS]: what spans for OpenTelemetry cost, beside floors in the same run: encoding, beside
 * gzip of the same bytes; and bringing them to a collector through the spool, beside writing the
 * same bytes into one file and a bare socket. The collector is a thread here that reads and answers
 * 200.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "export/delivery/delivery.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

enum { SPANS = 200000, ROUNDS = 3 };

static struct otlp_bytes all; /* all messages, one after the other */
static uint64_t messages;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- encoding --- */

static int keep(void *ctx, const struct otlp_message *m, struct error *err)
{
    (void)ctx, (void)err;
    for (int i = 0; i < 3; i++)
        otlp_put(&all, m->part[i], m->size[i]);
    messages++;
    return 0;
}

static int send_on(void *ctx, const struct otlp_message *m, struct error *err)
{
    const void *part[SPOOL_PARTS] = {m->part[0], m->part[1], m->part[2]};
    return delivery_add(ctx, part, m->size, m->spans, true, err);
}

/* Spans as kernels of a profile are. */
static void spans(const struct otlp_format *format, int n,
                  int (*take)(void *, const struct otlp_message *, struct error *), void *ctx)
{
    struct error err = ERROR_INIT;
    struct otlp_context context;
    struct otlp_attrs resource = {.n = 0};
    otlp_context_of(&context, 1);
    otlp_text(&resource, "service.name", "bench");
    struct otlp_batch b = {.format = format, .resource = &resource, .take = take, .ctx = ctx};
    for (int i = 0; i < n; i++) {
        struct otlp_attrs a = {.n = 0};
        struct otlp_span s = {.kind = OTLP_INTERNAL,
                              .name = "void gemm<float, 128>(float const*, float*, int)",
                              .begin_ns = UINT64_C(1700000000000000000) + (uint64_t)i * 1000,
                              .end_ns = UINT64_C(1700000000000000900) + (uint64_t)i * 1000,
                              .attrs = &a};
        memcpy(s.trace, context.trace, sizeof s.trace);
        otlp_context_id(&context, OTLP_FIRST_NODE + (uint64_t)i, s.id);
        otlp_context_id(&context, OTLP_FIRST_NODE, s.parent);
        otlp_text(&a, "rooftop.kind", "kernel");
        otlp_text(&a, "rooftop.kernel.grid", "4096x1x1");
        otlp_text(&a, "rooftop.kernel.block", "256x1x1");
        otlp_int(&a, "rooftop.kernel.shared_bytes", 16384);
        otlp_text(&a, "rooftop.gpu.model", "AMD Instinct MI300X");
        otlp_int(&a, "rooftop.dispatch.id", i);
        otlp_int(&a, "rooftop.queue.id", i % 4);
        otlp_batch_add(&b, &s);
    }
    if (otlp_batch_end(&b, &err) != 0) {
        fprintf(stderr, "otlp: %s: %s\n", err.what, err.why);
        exit(1);
    }
}

static double pack(int level)
{
    const double from = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uLongf n = compressBound(all.n);
    uint8_t *out = malloc(n);
    if (!out || compress2(out, &n, all.data, all.n, level) != Z_OK)
        exit(1);
    free(out);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - from;
}

static void encoding(const struct otlp_format *format, int n)
{
    double least = 1e9, gzip = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        all.n = messages = 0;
        const double from = seconds(CLOCK_PROCESS_CPUTIME_ID);
        spans(format, n, keep, NULL);
        const double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - from, packed = pack(1);
        least = took < least ? took : least;
        gzip = packed < gzip ? packed : gzip;
    }
    printf("| encode, %s | %.2f million/s | %.0f | %.2f of gzip -1 |\n", format->name,
           n / least / 1e6, (double)all.n / n, least / gzip);
}

/* --- a collector --- */

static int server;

static bool read_all(int fd, char *to, size_t n)
{
    for (ssize_t got; n; n -= (size_t)got, to += got)
        if ((got = recv(fd, to, n, 0)) <= 0)
            return false;
    return true;
}

static bool request(int fd, char *body, size_t size)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    char head[4096] = "";
    size_t n = 0;
    while (n < 4 || memcmp(head + n - 4, "\r\n\r\n", 4) != 0)
        if (n + 1 == sizeof head || !read_all(fd, head + n++, 1))
            return false;
    head[n] = '\0';
    const char *length = strcasestr(head, "content-length:");
    const size_t bytes = length ? strtoul(length + 15, NULL, 10) : 0;
    return bytes <= size && read_all(fd, body, bytes) &&
           send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL) > 0;
}

static void *collect(void *arg)
{
    enum { MOST = 16 << 20 };
    char *body = malloc(MOST);
    (void)arg;
    for (int fd; body && (fd = accept(server, NULL, NULL)) >= 0; close(fd))
        while (request(fd, body, MOST))
            ;
    free(body);
    return NULL;
}

static int listen_here(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&a, sizeof a) != 0 ||
        listen(server, 4) != 0 || getsockname(server, (struct sockaddr *)&a, &n) != 0)
        exit(1);
    return ntohs(a.sin_port);
}

/* The floor: the same bytes, known already, into a file and down a socket in as many requests. */
static double bare(int port, const char *folder)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char path[128], head[128], answer[128];
    const double from = seconds(CLOCK_MONOTONIC);
    const size_t each = all.n / messages;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    snprintf(path, sizeof path, "%s/bare", folder);
    FILE *f = fopen(path, "wb");
    if (!f || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        exit(1);
    for (uint64_t i = 0; i < messages; i++) {
        const int n =
            snprintf(head, sizeof head, "POST / HTTP/1.1\r\ncontent-length: %zu\r\n\r\n", each);
        fwrite(all.data + i * each, 1, each, f);
        if (send(fd, head, (size_t)n, 0) < 0 || send(fd, all.data + i * each, each, 0) < 0 ||
            recv(fd, answer, sizeof answer, 0) <= 0)
            exit(1);
    }
    fclose(f);
    close(fd);
    unlink(path);
    return seconds(CLOCK_MONOTONIC) - from;
}

static double deliver(int port, const char *folder, int n)
{
    struct endpoint e;
    struct error err = ERROR_INIT;
    struct delivery *d;
    struct delivery_report r;
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    const struct delivery_config c = {
        .endpoint = &e, .spool = folder, .wait_ns = UINT64_C(60000000000)};
    const double from = seconds(CLOCK_MONOTONIC);
    if (endpoint_open(&e, url, "http/protobuf", &err) != 0 || delivery_open(&d, &c, &err) != 0) {
        fprintf(stderr, "otlp: %s: %s\n", err.what, err.why);
        exit(1);
    }
    spans(&otlp_protobuf, n, send_on, d);
    delivery_end(d, &r);
    endpoint_close(&e);
    if (r.taken != (uint64_t)n)
        exit(1);
    return seconds(CLOCK_MONOTONIC) - from;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : SPANS;
    char folder[] = "/tmp/rooftop-otlp-XXXXXX";
    double least = 1e9, floor = 1e9;
    pthread_t thread;
    if (n <= 0 || !mkdtemp(folder))
        return 2;
    printf("%d spans of kernels; the shortest of %d rounds\n\n", n, ROUNDS);
    printf("| what | spans | bytes a span | beside its floor |\n|---|---|---|---|\n");
    encoding(&otlp_json, n);
    encoding(&otlp_protobuf, n);
    const int port = listen_here();
    if (pthread_create(&thread, NULL, collect, NULL) != 0)
        return 1;
    for (int r = 0; r < ROUNDS; r++) {
        const double bottom = bare(port, folder), took = deliver(port, folder, n);
        floor = bottom < floor ? bottom : floor;
        least = took < least ? took : least;
    }
    printf(
        "| encode, spool, send, answer | %.2f million/s | %.0f | %.2f of file and socket alone |\n",
        n / least / 1e6, (double)all.n / n, least / floor);
    rmdir(folder);
    free(all.data);
    return 0;
}
