#include "engine/reproduce/copy_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/watch.h"

enum { CHUNK = 1 << 20 };

static int of_output(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code, NULL, path, "%s", strerror(code));
}

static int of_input(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
}

/* Creates the folders above a path. */
static int make_above(const char *path, struct error *err)
{
    char text[PATH_MAX];
    snprintf(text, sizeof text, "%s", path);
    for (char *p = text + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdir(text, 0777) != 0 && errno != EEXIST)
            return of_output(text, errno, err);
        *p = '/';
    }
    return 0;
}

static bool is_zero_filled(const char *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static int write_bytes_at(int fd, const char *p, size_t n, off_t at)
{
    while (n > 0) {
        const ssize_t k = pwrite(fd, p, n, at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? errno : ENOSPC;
        p += k;
        at += k;
        n -= (size_t)k;
    }
    return 0;
}

/* Returns 0 or an error number; *reading: the error is of `in`, not of `out`. */
static int copy_sparse_bytes(int in, int out, struct copied *done, bool *reading)
{
    char *chunk = xcalloc(CHUNK, 1);
    int code = 0;
    ssize_t n;
    off_t size = 0;
    while (code == 0 && (n = read(in, chunk, CHUNK)) != 0) {
        *reading = n < 0 && errno != EINTR;
        if (*reading)
            code = errno;
        if (n < 0)
            continue;
        if (watch_given_up())
            code = ECANCELED;
        else if (!is_zero_filled(chunk, (size_t)n))
            code = write_bytes_at(out, chunk, (size_t)n, size);
        size += n;
        done->bytes += (uint64_t)n;
        if (done->progress)
            done->progress(done->ctx, done->bytes);
    }
    if (code == 0 && ftruncate(out, size) != 0)
        code = errno;
    free(chunk);
    return code;
}

int copy_file(const char *from, const char *to, struct copied *done, struct error *err)
{
    struct stat st;
    bool reading = false;
    int rc = make_above(to, err);
    if (rc != 0)
        return rc;
    const int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        rc = of_input(from, in < 0 ? errno : EINVAL, err);
        if (in >= 0)
            close(in);
        return rc;
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int code = out < 0 ? errno : copy_sparse_bytes(in, out, done, &reading);
    if (out >= 0 && close(out) != 0 && code == 0)
        code = errno;
    close(in);
    if (code == 0)
        return 0;
    return reading ? of_input(from, code, err) : of_output(to, code, err);
}

static int copy_entry(const char *from, const char *to, int depth, struct copied *done,
                      struct error *err)
{
    struct stat st;
    if (lstat(from, &st) != 0)
        return of_input(from, errno, err);
    if (S_ISREG(st.st_mode))
        return copy_file(from, to, done, err);
    return S_ISDIR(st.st_mode) && depth > 0 ? copy_folder(from, to, depth - 1, done, err) : 0;
}

int copy_folder(const char *from, const char *to, int depth, struct copied *done, struct error *err)
{
    char a[PATH_MAX], b[PATH_MAX];
    int rc = 0;
    DIR *dir = opendir(from);
    if (!dir)
        return of_input(from, errno, err);
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) { // NOLINT: this stream is ours alone
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if ((size_t)snprintf(a, sizeof a, "%s/%s", from, e->d_name) >= sizeof a ||
            (size_t)snprintf(b, sizeof b, "%s/%s", to, e->d_name) >= sizeof b)
            rc = of_output(to, ENAMETOOLONG, err);
        else
            rc = copy_entry(a, b, depth, done, err);
    }
    closedir(dir);
    return rc;
}

int copy_text(const char *text, size_t n, const char *to, unsigned mode, struct error *err)
{
    int rc = make_above(to, err);
    if (rc != 0)
        return rc;
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    int code = out < 0 ? errno : write_bytes_at(out, text, n, 0);
    if (out >= 0 && close(out) != 0 && code == 0)
        code = errno;
    return code == 0 ? 0 : of_output(to, code, err);
}
