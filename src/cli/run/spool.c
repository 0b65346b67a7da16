#include "cli/run/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
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

static int copy_pipe(int pipe, int file, const char *path, struct error *err)
{
    char *chunk = xcalloc(1, CHUNK);
    uint64_t left = room_for_spool(file);
    int rc = 0;
    while (rc == 0) {
        rc = wait_for_pipe(pipe, path, err);
        const ssize_t n = rc == 0 ? read(pipe, chunk, CHUNK) : 0;
        if (rc != 0 || n == 0)
            break;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            rc = refuse_spool(path, errno, err);
        errno = 0; /* a write that is only too short sets none */
        if (rc != 0)
            break;
        if ((uint64_t)n > left)
            rc = refuse_spool(path, EFBIG, err);
        else if (write(file, chunk, (size_t)n) != n)
            rc = refuse_spool(path, errno ? errno : ENOSPC, err);
        left -= n > 0 && rc == 0 ? (uint64_t)n : 0;
    }
    free(chunk);
    return rc;
}

/* A file that is removed already, so that no end of rooftop leaves it. Returns it, or -errno. */
static int make_spool(void)
{
    char beside[PATH_MAX - TEMPORARY_MORE], path[PATH_MAX];
    const char *folder = env_get("TMPDIR");
    snprintf(beside, sizeof beside, "%s/standard_input", folder ? folder : "/tmp");
    const int file = temporary_file(beside, path, sizeof path);
    if (file >= 0)
        unlink(path);
    return file;
}

/* The descriptor that a path such as /dev/fd/63 names; -1: none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t n = strlen(folders[i]);
        char *end = NULL;
        const long fd = strncmp(path, folders[i], n) == 0 ? strtol(path + n, &end, 10) : -1;
        if (fd >= 0 && fd <= INT_MAX && end > path + n && !*end)
            return (int)fd;
    }
    return -1;
}

/* A name for a copy whose pipe has its name in a folder. NULL with errno. */
static const char *name_of_descriptor(int file)
{
    static char names[SPOOLS][32];
    static atomic_size_t used;
    const size_t i = atomic_fetch_add(&used, 1);
    if (i < SPOOLS)
        snprintf(names[i], sizeof names[i], "/dev/fd/%d", file);
    errno = EMFILE;
    return i < SPOOLS ? names[i] : NULL;
}

/* Makes the path lead to the copy: its descriptor becomes one of the copy, so that the name stays
 * as it was typed. NULL with errno. */
static const char *name_spool(int file, const char *path)
{
    const int fd = descriptor_of(path);
    if (fd < 0)
        return name_of_descriptor(file);
    if (dup3(file, fd, fd > STDERR_FILENO ? O_CLOEXEC : 0) < 0)
        return NULL;
    close(file);
    return path;
}

/* The name of the copy of the pipe, which is read to its end. NULL with err. */
static const char *add_spool(int pipe, const char *path, struct error *err)
{
    const int file = make_spool();
    int rc = file < 0 ? refuse_spool(path, -file, err) : copy_pipe(pipe, file, path, err);
    const char *name = rc == 0 ? name_spool(file, path) : NULL;
    if (rc == 0 && !name)
        refuse_spool(path, errno, err);
    if (!name && file >= 0)
        close(file);
    close(pipe);
    return name;
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
    if (rc < 0 || descriptor_of(path) >= 0) {
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
