/* What the parts of the collector share. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "support/collector.h"

struct collector_private {
    struct collector *collector;
    const char *const *answers;
    int fd, stop[2]; /* stop: readable when the server must end */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t came;
};

/* n bytes; false at the end of the connection or of the server. */
bool collector_read(struct collector_private *p, int fd, void *out, size_t n);
void collector_write(int fd, const void *data, size_t n);
/* Keeps a request and returns its answer. */
const char *collector_keep(struct collector_private *p, struct collector_request *r);
/* Waits until the server must end. */
void collector_silent(struct collector_private *p);
/* Serves a connection after the preface of HTTP/2. */
void collector_serve_grpc(struct collector_private *p, int fd);
