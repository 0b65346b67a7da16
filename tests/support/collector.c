#include "support/collector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/collector_impl.h"

static int listen_on(int port, int *got)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    const int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)&a, &n) != 0)
        fail_msg("no server on 127.0.0.1");
    *got = ntohs(a.sin_port);
    return fd;
}

int collector_free_port(void)
{
    int port;
    close(listen_on(0, &port));
    return port;
}

bool collector_read(struct collector_private *p, int fd, void *out, size_t n)
{
    for (char *to = out; n;) {
        struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = p->stop[0], .events = POLLIN}};
        poll(fds, 2, -1);
        if (fds[1].revents)
            return false;
        const ssize_t got = recv(fd, to, n, 0);
        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
    }
    return true;
}

void collector_write(int fd, const void *data, size_t n)
{
    for (const char *p = data; n;) {
        const ssize_t got = send(fd, p, n, MSG_NOSIGNAL);
        if (got <= 0)
            return;
        p += got;
        n -= (size_t)got;
    }
}

const char *collector_keep(struct collector_private *p, struct collector_request *r)
{
    struct collector *c = p->collector;
    pthread_mutex_lock(&p->lock);
    c->list = realloc(c->list, (c->n + 1) * sizeof *c->list);
    c->list[c->n++] = *r;
    const char *answer = *p->answers;
    if (p->answers[1])
        p->answers++;
    pthread_cond_broadcast(&p->came);
    pthread_mutex_unlock(&p->lock);
    return answer;
}

void collector_silent(struct collector_private *p)
{
    struct pollfd f = {.fd = p->stop[0], .events = POLLIN};
    poll(&f, 1, -1);
}

/* One request of HTTP/1.1; the first bytes of it were read. */
static void serve_http(struct collector_private *p, int fd, const char *first, size_t nfirst)
{
    struct collector_request r = {.body = NULL};
    size_t n = nfirst;
    memcpy(r.head, first, nfirst);
    while (n < 4 || memcmp(r.head + n - 4, "\r\n\r\n", 4) != 0)
        if (n + 1 >= sizeof r.head || !collector_read(p, fd, r.head + n++, 1))
            return;
    r.head[n] = '\0';
    const char *length = strcasestr(r.head, "\r\ncontent-length:");
    r.n = length ? strtoul(length + 17, NULL, 10) : 0;
    r.body = malloc(r.n + 1);
    if (!collector_read(p, fd, r.body, r.n)) {
        free(r.body);
        return;
    }
    const char *answer = collector_keep(p, &r);
    if (strcmp(answer, ANSWER_SILENT) == 0)
        collector_silent(p);
    else
        collector_write(fd, answer, strlen(answer));
}

static void serve(struct collector_private *p, int fd)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    char first[24];
    if (collector_read(p, fd, first, sizeof first)) {
        if (memcmp(first, preface, sizeof first) == 0)
            collector_serve_grpc(p, fd);
        else
            serve_http(p, fd, first, sizeof first);
    }
    shutdown(fd, SHUT_WR);
    close(fd);
}

static void *collector_thread(void *arg)
{
    struct collector_private *p = arg;
    for (;;) {
        struct pollfd fds[2] = {{.fd = p->fd, .events = POLLIN},
                                {.fd = p->stop[0], .events = POLLIN}};
        poll(fds, 2, -1);
        if (fds[1].revents)
            return NULL;
        const int fd = accept(p->fd, NULL, NULL);
        if (fd >= 0)
            serve(p, fd);
    }
}

void collector_start(struct collector *c, int port, const char *const *answers)
{
    struct collector_private *p = calloc(1, sizeof *p);
    *c = (struct collector){.priv = p};
    p->collector = c;
    p->answers = answers;
    p->fd = listen_on(port, &c->port);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->came, NULL);
    if (pipe(p->stop) != 0 || pthread_create(&p->thread, NULL, collector_thread, p) != 0)
        fail_msg("no server");
}

void collector_wait(struct collector *c, size_t n)
{
    struct collector_private *p = c->priv;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&p->lock);
    int rc = 0;
    while (c->n < n && rc == 0)
        rc = pthread_cond_timedwait(&p->came, &p->lock, &until);
    const size_t came = c->n;
    pthread_mutex_unlock(&p->lock);
    if (came < n)
        fail_msg("%zu requests came, not %zu", came, n);
}

void collector_stop(struct collector *c)
{
    struct collector_private *p = c->priv;
    if (!p)
        return;
    const ssize_t ignored = write(p->stop[1], "x", 1);
    (void)ignored;
    pthread_join(p->thread, NULL);
    close(p->fd);
    close(p->stop[0]);
    close(p->stop[1]);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->came);
    free(p);
    c->priv = NULL;
}

void collector_free(struct collector *c)
{
    collector_stop(c);
    for (size_t i = 0; i < c->n; i++)
        free(c->list[i].body);
    free(c->list);
    *c = (struct collector){.port = 0};
}
