/*
 * As much of HTTP/2 (RFC 9113) as one client with unary calls of gRPC needs: frames, windows,
 * trailers. Its headers are not decoded; ours are literals (RFC 7541, 6.2.2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "support/collector_impl.h"

enum { DATA = 0, HEADERS = 1, SETTINGS = 4, PING = 6, WINDOW_UPDATE = 8 };
enum { ACK = 1, END_STREAM = 1, END_HEADERS = 4, PADDED = 8 };

static void frame(int fd, int type, int flags, unsigned stream, const void *data, size_t n)
{
    const unsigned char head[9] = {
        (unsigned char)(n >> 16),      (unsigned char)(n >> 8),      (unsigned char)n,
        (unsigned char)type,           (unsigned char)flags,         (unsigned char)(stream >> 24),
        (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
    collector_write(fd, head, sizeof head);
    collector_write(fd, data, n);
}

static size_t literal(unsigned char *out, const char *name, const char *value)
{
    const size_t a = strlen(name), b = strlen(value);
    out[0] = 0;
    out[1] = (unsigned char)a;
    memcpy(out + 2, name, a);
    out[2 + a] = (unsigned char)b;
    memcpy(out + 3 + a, value, b);
    return 3 + a + b;
}

static void window(int fd, unsigned stream, size_t n)
{
    const unsigned char more[4] = {(unsigned char)(n >> 24), (unsigned char)(n >> 16),
                                   (unsigned char)(n >> 8), (unsigned char)n};
    if (n)
        frame(fd, WINDOW_UPDATE, 0, stream, more, sizeof more);
}

/* "grpc STATUS MESSAGE" */
static void answer_call(int fd, unsigned stream, const char *answer)
{
    /* partial_success: 1 span rejected, "too old" */
    static const unsigned char part[] = {0,    0, 0,   0,   13,  0x0a, 11,  0x08, 1,
                                         0x12, 7, 't', 'o', 'o', ' ',  'o', 'l',  'd'};
    static const unsigned char empty[5];
    unsigned char head[256] = {0x88}; /* :status 200 */
    const bool has_part = strcmp(answer, ANSWER_GRPC_PART) == 0;
    char code[8] = "0", text[64] = "";
    if (!has_part)
        sscanf(answer, "grpc %7s %63[^\n]", code, text);
    size_t n = 1 + literal(head + 1, "content-type", "application/grpc");
    frame(fd, HEADERS, END_HEADERS, stream, head, n);
    if (strcmp(code, "0") == 0)
        frame(fd, DATA, 0, stream, has_part ? part : empty, has_part ? sizeof part : sizeof empty);
    n = literal(head, "grpc-status", code);
    n += literal(head + n, "grpc-message", text);
    frame(fd, HEADERS, END_HEADERS | END_STREAM, stream, head, n);
}

void collector_serve_grpc(struct collector_private *p, int fd)
{
    unsigned char head[9], *data = NULL;
    struct collector_request r = {.body = NULL};
    frame(fd, SETTINGS, 0, 0, NULL, 0);
    while (collector_read(p, fd, head, sizeof head)) {
        const size_t n = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        const unsigned stream = (unsigned)(head[5] & 0x7f) << 24 | (unsigned)head[6] << 16 |
                                (unsigned)head[7] << 8 | head[8];
        data = xrealloc(data, n + 1, 1);
        if (!collector_read(p, fd, data, n))
            break;
        if (head[3] == SETTINGS && !(head[4] & ACK))
            frame(fd, SETTINGS, ACK, 0, NULL, 0);
        else if (head[3] == PING && !(head[4] & ACK))
            frame(fd, PING, ACK, 0, data, n);
        if (head[3] == DATA && !(head[4] & PADDED)) {
            r.body = xrealloc(r.body, r.n + n + 1, 1);
            memcpy(r.body + r.n, data, n);
            r.n += n;
            window(fd, 0, n);
            window(fd, stream, n);
        }
        if (stream && (head[3] == DATA || head[3] == HEADERS) && (head[4] & END_STREAM)) {
            const char *answer = collector_keep(p, &r);
            r = (struct collector_request){.body = NULL};
            if (strcmp(answer, ANSWER_SILENT) == 0)
                collector_silent(p);
            else if (answer[0])
                answer_call(fd, stream, answer);
            if (!answer[0])
                break;
        }
    }
    free(r.body);
    free(data);
}
