#include "engine/trace/trace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/trace/trace.h"

enum { WAIT_MS = 50 };

static int fail_stream(const char *path, struct error *err)
{
    return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
}

bool trace_is_pipe(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int open_trace_input(struct trace_stream *s, const char *path, struct error *err)
{
    struct stat st;
    *s = (struct trace_stream){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (s->fd < 0 || fstat(s->fd, &st) != 0)
        return fail_stream(path, err);
    s->pipe = !S_ISREG(st.st_mode);
    s->size = !s->pipe && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    if (S_ISDIR(st.st_mode) || (s->pipe && isatty(s->fd)))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path,
                         S_ISDIR(st.st_mode) ? "it is a folder" : "it is a terminal");
    return 0;
}

int trace_stream_open(struct trace_stream *s, const char *path, struct trace *t, struct error *err)
{
    if (t && trace_take_stream(t, s))
        return 0;
    return open_trace_input(s, path, err);
}

static bool is_stream_stopped(const struct trace_stream *s)
{
    return s->stop && __atomic_load_n(s->stop, __ATOMIC_RELAXED);
}

/* A pipe without a writer yet is not at its end; only poll can tell the two apart. */
static int wait_for_trace_input(const struct trace_stream *s, const char *path, struct error *err)
{
    for (;;) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        int rc = watch_check(path, err);
        if (rc != 0 || is_stream_stopped(s))
            return rc ? rc : error_set(err, ERROR_INPUT, ECANCELED, NULL, path, "it was given up");
        int n = poll(&p, 1, s->pipe ? WAIT_MS : 0);
        if (n > 0 || !s->pipe)
            return 0;
    }
}

ssize_t trace_stream_read(struct trace_stream *s, void *to, size_t size, const char *path,
                          struct error *err)
{
    if (s->at < s->nhead) {
        size_t n = s->nhead - s->at < size ? s->nhead - s->at : size;
        memcpy(to, s->head + s->at, n);
        s->at += n;
        s->taken += n;
        return (ssize_t)n;
    }
    for (;;) {
        int rc = wait_for_trace_input(s, path, err);
        if (rc != 0)
            return rc;
        ssize_t n = read(s->fd, to, size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fail_stream(path, err);
        s->taken += (uint64_t)n;
        return n;
    }
}

int trace_stream_peek(struct trace_stream *s, const char *path, struct error *err)
{
    int rc = open_trace_input(s, path, err);
    if (rc == 0)
        rc = trace_stream_peek_more(s, TRACE_STREAM_HEAD, path, err);
    return rc < 0 ? rc : 0;
}

int trace_stream_peek_more(struct trace_stream *s, size_t size, const char *path, struct error *err)
{
    const size_t before = s->nhead;
    ssize_t n = 1;
    s->head = xrealloc(s->head, before + size, 1);
    s->at = before;
    for (size_t left = size; left > 0 && n > 0; left -= (size_t)n) {
        n = trace_stream_read(s, s->head + s->nhead, left, path, err);
        if (n <= 0)
            break;
        s->nhead += (size_t)n;
        s->at = s->nhead;
    }
    s->at = 0;
    s->taken = 0;
    return n < 0 ? (int)n : s->nhead > before;
}

void trace_stream_close(struct trace_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->head);
    *s = (struct trace_stream){.fd = -1};
}
