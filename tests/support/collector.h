/*
 * A collector of spans for tests: a server on 127.0.0.1 that gives the answers it was told, and
 * keeps what it got. HTTP/1.1, or gRPC over HTTP/2 without TLS.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ANSWER_200    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
#define ANSWER_CUT    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\nhalf"
#define ANSWER_NONE   ""     /* closes the connection */
#define ANSWER_SILENT "wait" /* answers nothing until collector_stop */
/* gRPC: "grpc STATUS MESSAGE", or "grpc 0" and an answer with a partial success of one span. */
#define ANSWER_GRPC_PART "grpc part"

struct collector_request {
    char head[4096];     /* HTTP/1.1: the request line and headers */
    unsigned char *body; /* gRPC: with its 5 bytes */
    size_t n;
};

struct collector {
    int port;
    struct collector_request *list;
    size_t n; /* only to be read after collector_stop */
    struct collector_private *priv;
};

/* answers: ended by NULL, the last one is given for ever. port 0: any. Fails the test where there
 * is no network of its own. */
void collector_start(struct collector *c, int port, const char *const *answers);
/* Waits until this many requests came whole; fails the test after a minute. */
void collector_wait(struct collector *c, size_t n);
void collector_stop(struct collector *c);
void collector_free(struct collector *c);
/* A port of 127.0.0.1 where nobody listens. */
int collector_free_port(void);
