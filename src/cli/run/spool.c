#include "cli/run/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/options.h"

enum { SPOOLS = 8, HEAD = 16, WAIT_MS = 20, CHUNK = 1 << 20, TMPFS = 0x01021994 };

/* The copies that were made. */
static struct spool {
    char path[PATH_MAX];
    int pipe, file; /* the pipe stays open, so that its writer is not told that it ended */
} spools[SPOOLS];
static size_t nspools;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Waits for bytes, or for the end. 0, or -ECANCELED with err. */
static int wait_for_pipe(int fd, const char *path, struct error *err)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int rc = watch_check(path, err);
        if (rc != 0 || poll(&p, 1, WAIT_MS) > 0)
            return rc;
    }
}

/* Copies the first bytes without taking them out of the pipe. Returns how many, or -errno. */
static ssize_t see_pipe(int fd, char head[HEAD])
{
    int own[2];
    if (pipe2(own, O_CLOEXEC) != 0)
        return -errno;
    ssize_t n = tee(fd, own[1], HEAD, SPLICE_F_NONBLOCK);
    n = n > 0 ? read(own[0], head, HEAD) : 0;
    close(own[0]);
    close(own[1]);
    return n;
}

static bool pipe_begins_with(const char *head, ssize_t n, const char *magic)
{
    return n > 0 && memcmp(head, magic, (size_t)n < strlen(magic) ? (size_t)n : strlen(magic)) == 0;
}

/* Whether the pipe brings what must be read at any place. A pipe may bring its first bytes one by
 * one. 1, 0, or -errno with err. */
static int is_pipe_for_spool(int fd, const char *path, struct error *err)
{
    static const char *const magics[] = {"SQLite format 3", "PERFILE2"};
    char head[HEAD];
    for (ssize_t n = 0, before = -1;; before = n) {
        const int rc = wait_for_pipe(fd, path, err);
        if (rc != 0)
            return rc;
        n = see_pipe(fd, head);
        for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
            if (n >= (ssize_t)strlen(magics[i]) && pipe_begins_with(head, n, magics[i]))
                return 1;
        const bool may_be =
            pipe_begins_with(head, n, magics[0]) || pipe_begins_with(head, n, magics[1]);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (!may_be || (n == before && poll(&p, 1, 0) > 0 && p.revents & POLLHUP))
            return 0;
        poll(NULL, 0, WAIT_MS);
    }
}

/* How many bytes the copy may have: a temporary folder in memory counts as memory; of a disk, a
 * twentieth stays free. */
static uint64_t room_for_spool(int file)
{
    struct statfs fs;
    if (fstatfs(file, &fs) != 0)
        return 0;
    const uint64_t left = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize,
                   all = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize / 20;
    if (fs.f_type == TMPFS)
        return left < memory_limit() ? left : memory_limit();
    return left > all ? left - all : 0;
}

static int refuse_spool(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_INPUT, code,
                     "write it to a file where there is room, and open that", path,
                     "its copy in %s: %s", env_get("TMPDIR") ? env_get("TMPDIR") : "/tmp",
                     code == EFBIG ? "there is no room for more" : strerror(code));
}

static int copy_pipe(const struct spool *s, const char *path, struct error *err)
{
    char *chunk = xcalloc(1, CHUNK);
    uint64_t left = room_for_spool(s->file);
    int rc = 0;
    while (rc == 0) {
        rc = wait_for_pipe(s->pipe, path, err);
        const ssize_t n = rc == 0 ? read(s->pipe, chunk, CHUNK) : 0;
        if (rc != 0 || n == 0)
            break;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            rc = refuse_spool(path, errno, err);
        else if ((uint64_t)n > left)
            rc = refuse_spool(path, EFBIG, err);
        else if (write(s->file, chunk, (size_t)n) != n)
            rc = refuse_spool(path, errno ? errno : ENOSPC, err);
        left -= n > 0 && rc == 0 ? (uint64_t)n : 0;
    }
    free(chunk);
    return rc;
}

/* The copy of the pipe fd, which it then owns. NULL with err. */
static const char *add_spool(int fd, const char *path, struct error *err)
{
    char beside[PATH_MAX - TEMPORARY_MORE];
    const char *folder = env_get("TMPDIR");
    snprintf(beside, sizeof beside, "%s/standard_input", folder ? folder : "/tmp");
    pthread_mutex_lock(&lock);
    struct spool *s = nspools < SPOOLS ? &spools[nspools] : NULL;
    int rc = s ? 0 : -EMFILE;
    if (s) {
        s->pipe = fd;
        rc = s->file = temporary_file(beside, s->path, sizeof s->path);
        nspools += rc >= 0;
    }
    pthread_mutex_unlock(&lock);
    if (rc < 0) {
        refuse_spool(path, -rc, err);
        close(fd);
        return NULL;
    }
    return copy_pipe(s, path, err) == 0 ? s->path : NULL;
}

const char *spool_input(const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
        return path;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return path; /* who opens it next says why */
    const int rc = is_pipe_for_spool(fd, path, err);
    if (rc > 0)
        return add_spool(fd, path, err);
    if (rc < 0 || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
        close(fd); /* the pipe is open otherwise, too */
        return rc < 0 ? NULL : path;
    }
    return path; /* a named pipe stays open: its writer would be told that nobody reads */
}

int spool_operands(struct options *o, struct error *err)
{
    const struct command *c = command_named(o->command);
    if (!c->files || (c == commands[0] && !o->headless))
        return 0;
    for (size_t i = 0; i < o->noperands; i++) {
        const char *path = spool_input(o->operands[i], err);
        if (!path)
            return -EINVAL;
        o->operands[i] = (char *)path;
    }
    return 0;
}

void spool_remove(void)
{
    pthread_mutex_lock(&lock);
    for (; nspools > 0; nspools--)
        unlink(spools[nspools - 1].path);
    pthread_mutex_unlock(&lock);
}
