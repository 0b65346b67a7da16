#include "backends/command/command_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

struct spool {
    int fd, stop_fd, file; /* file: unnamed, in memory */
    uint64_t limit;
    pthread_t thread;
    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t ended_cond;
    uint64_t total, kept;
    char tail[SPOOL_TAIL]; /* a ring: byte i of the output is at i % SPOOL_TAIL */
    bool ended;
};

static void spool_output(struct spool *s, const char *p, size_t n)
{
    pthread_mutex_lock(&s->lock);
    size_t keep = s->kept < s->limit ? (size_t)(s->limit - s->kept) : 0;
    keep = keep < n ? keep : n;
    for (size_t done = 0; done < keep;) {
        ssize_t w = pwrite(s->file, p + done, keep - done, (off_t)(s->kept + done));
        if (w <= 0) {
            s->limit = s->kept + done; /* no memory left: drop and count what follows */
            keep = done;
            break;
        }
        done += (size_t)w;
    }
    s->kept += keep;
    for (size_t i = n > SPOOL_TAIL ? n - SPOOL_TAIL : 0; i < n; i++)
        s->tail[(s->total + i) % SPOOL_TAIL] = p[i];
    s->total += n;
    pthread_mutex_unlock(&s->lock);
}

static void *read_output_thread(void *arg)
{
    struct spool *s = arg;
    char buf[16384];
    struct pollfd p[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->stop_fd, .events = POLLIN}};
    for (;;) {
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            break;
        if (p[1].revents)
            break;
        if (!p[0].revents)
            continue;
        ssize_t n = read(s->fd, buf, sizeof buf);
        if (n > 0)
            spool_output(s, buf, (size_t)n);
        else if (n == 0 ||
                 /* EIO: the last user of a pseudo-terminal closed it */
                 (errno != EINTR && errno != EAGAIN))
            break;
    }
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->ended_cond);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct spool *spool_new(int fd, uint64_t limit, struct error *err)
{
    struct spool *s = xcalloc(1, sizeof *s);
    sigset_t all, before;
    s->fd = fd;
    s->limit = limit;
    s->file = memfd_create("rooftop-output", MFD_CLOEXEC);
    s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->ended_cond, &attr);
    pthread_condattr_destroy(&attr);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&s->thread, NULL, read_output_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        return s;
    error_set(err, ERROR_INTERNAL, rc, NULL, "read the command's output", "%s", strerror(rc));
    close(s->fd);
    close(s->file);
    close(s->stop_fd);
    free(s);
    return NULL;
}

void spool_drain(struct spool *s, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&s->lock);
    while (!s->ended && pthread_cond_timedwait(&s->ended_cond, &s->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&s->lock);
}

size_t spool_tail(struct spool *s, char out[SPOOL_TAIL], uint64_t *total, uint64_t *dropped)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->total < SPOOL_TAIL ? (size_t)s->total : SPOOL_TAIL;
    uint64_t first = s->total - n;
    for (size_t i = 0; i < n; i++)
        out[i] = s->tail[(first + i) % SPOOL_TAIL];
    *total = s->total;
    *dropped = s->total - s->kept;
    pthread_mutex_unlock(&s->lock);
    if (first > 0) { /* begin with a complete line */
        char *nl = memchr(out, '\n', n);
        size_t cut = nl ? (size_t)(nl - out) + 1 : 0;
        memmove(out, out + cut, n - cut);
        n -= cut;
    }
    return n;
}

/* --- saving --- */

static int save_error(struct error *err, const char *path, int code)
{
    char what[192];
    const char *help = "choose another name";
    if (code == ENOSPC)
        help = "free space or choose another place";
    else if (code == EEXIST)
        help = "choose another name: what is there is not overwritten";
    snprintf(what, sizeof what, "save the output to %.150s", path);
    return error_set(err, ERROR_OUTPUT, code, help, what, "%s", strerror(code));
}

static int copy_output(struct spool *s, int to)
{
    char buf[65536];
    off_t at = 0;
    pthread_mutex_lock(&s->lock);
    off_t end = (off_t)s->kept;
    pthread_mutex_unlock(&s->lock);
    while (at < end) {
        size_t want = end - at < (off_t)sizeof buf ? (size_t)(end - at) : sizeof buf;
        ssize_t n = pread(s->file, buf, want, at);
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        for (ssize_t done = 0; done < n;) {
            ssize_t w = write(to, buf + done, (size_t)(n - done));
            if (w <= 0)
                return w < 0 ? -errno : -EIO;
            done += w;
        }
        at += n;
    }
    return 0;
}

int spool_save(struct spool *s, const char *path, struct error *err)
{
    /* The user typed the name, so nothing that exists, file or device, is replaced. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return save_error(err, path, errno);
    int rc = copy_output(s, fd);
    if (close(fd) != 0 && rc == 0)
        rc = -errno;
    if (rc != 0) {
        unlink(path); /* rooftop made it, and a partial file is worse than none */
        return save_error(err, path, -rc);
    }
    return 0;
}

void spool_free(struct spool *s)
{
    uint64_t one = 1;
    if (!s)
        return;
    ssize_t ignored = write(s->stop_fd, &one, sizeof one);
    (void)ignored;
    pthread_join(s->thread, NULL);
    close(s->fd);
    close(s->file);
    close(s->stop_fd);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->ended_cond);
    free(s);
}
