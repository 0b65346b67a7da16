#include "cli/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "base/shell_word.h"
#include "cli/options/exit.h"
#include "engine/value/value.h"

static int fail_output(const struct output *out, const char *verb, int code, struct error *err)
{
    char what[192];
    const char *help = NULL;
    if (code == ENOSPC)
        help = "free some space, or write elsewhere with -o";
    else if (code == EACCES)
        help = "write where you may, with -o";
    else if (code == ENOENT)
        help = "the directory must exist";
    else if (!out->path[0] && code == EBADF)
        help = "leave stdout open, or write to a file with -o";
    snprintf(what, sizeof what, "%s %.150s", verb, out->path[0] ? out->path : "to stdout");
    return error_set(err, ERROR_OUTPUT, code, help, what, "%s", strerror(code));
}

/* The mode that a new file of this process gets. */
static mode_t new_file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Creates the temporary file, with the permissions of the file that it will replace. */
static int open_temp(struct output *out, const struct stat *st, struct error *err)
{
    int fd = temporary_file(out->path, out->temp, sizeof out->temp);
    out->fd = fd < 0 ? -1 : fd;
    if (fd < 0)
        return fail_output(out, "create", -fd, err);
    fchmod(out->fd, st ? st->st_mode & 07777 : new_file_mode());
    return 0;
}

int output_open(struct output *out, const char *path, int fd, bool stream, struct error *err)
{
    *out = (struct output){.fd = fd, .fresh = true};
    if (!path)
        return 0;
    struct stat st;
    size_t len = strlen(path);
    if (len >= sizeof out->path)
        return error_set(err, ERROR_OUTPUT, ENAMETOOLONG, NULL, "--output", "the path is too long");
    memcpy(out->path, path, len + 1);
    out->fd = -1;
    out->owned = true;
    bool exists = stat(path, &st) == 0;
    /* A symbolic link is kept: the file that it points to is written. */
    struct stat link;
    bool plain = !exists || (lstat(path, &link) == 0 && S_ISREG(link.st_mode));
    if (!stream && plain)
        return open_temp(out, exists ? &st : NULL, err);
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (stream ? O_APPEND : O_TRUNC);
    out->fd = open(path, flags, 0666);
    if (out->fd < 0)
        return fail_output(out, "open", errno, err);
    out->fresh = fstat(out->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0;
    return 0;
}

int output_check(const char *path, struct error *err)
{
    struct output out = {.fd = STDOUT_FILENO};
    struct stat st;
    if (!path)
        return fcntl(STDOUT_FILENO, F_GETFD) < 0 ? fail_output(&out, "write", errno, err) : 0;
    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode)) {
        int rc = output_open(&out, path, STDOUT_FILENO, false, err);
        output_close(&out, false, NULL);
        return rc;
    }
    /* a folder, a link, a pipe or a device: opening it could change it, or wait */
    snprintf(out.path, sizeof out.path, "%s", path);
    if (stat(path, &st) != 0) /* a link to a file that does not exist yet */
        return 0;
    if (S_ISDIR(st.st_mode))
        return fail_output(&out, "open", EISDIR, err);
    return access(path, W_OK) == 0 ? 0 : fail_output(&out, "open", errno, err);
}

int output_write(struct output *out, const char *data, size_t len, struct error *err)
{
    while (len > 0) {
        ssize_t n = write(out->fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_output(out, "write", n < 0 ? errno : EIO, err);
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

int output_close(struct output *out, bool keep, struct error *err)
{
    int rc = 0;
    if (!out->owned || out->fd < 0)
        return 0;
    /* locked until it has its name */
    const int lock = out->temp[0] ? fcntl(out->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (close(out->fd) != 0 && errno != EINTR && keep)
        rc = fail_output(out, "write", errno, err);
    out->fd = -1;
    if (out->temp[0] && keep && rc == 0 && rename(out->temp, out->path) != 0)
        rc = fail_output(out, "write", errno, err);
    if (out->temp[0] && (!keep || rc != 0))
        unlink(out->temp);
    if (lock >= 0)
        close(lock);
    return rc;
}

int output_replace(struct output *out, const char *data, size_t len, struct error *err)
{
    char path[sizeof out->path];
    int rc = 0;
    if (!out->owned)
        return output_write(out, data, len, err);
    memcpy(path, out->path, sizeof path);
    if (out->fd < 0)
        rc = output_open(out, path, -1, false, err);
    if (rc == 0)
        rc = output_write(out, data, len, err);
    const int closed = output_close(out, rc == 0, err);
    return rc != 0 ? rc : closed;
}

int output_own_stdout(void)
{
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return fd;
}

int output_part_begin(const char *path)
{
    return path ? -1 : output_own_stdout();
}

void output_part_end(int before)
{
    if (before < 0)
        return;
    dup2(before, STDOUT_FILENO);
    close(before);
}

output_make output_make_of(const char *format, output_make text, output_make json, output_make csv)
{
    if (strcmp(format, "json") == 0)
        return json;
    return strcmp(format, "csv") == 0 ? csv : text;
}

int output_made(const char *path, output_make make, const void *what, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    make(f, what);
    fclose(f);
    int rc = output_file(path, text, len, err);
    free(text);
    return rc;
}

int output_document(const char *path, int fd, const char *data, size_t len, struct error *err)
{
    struct output out;
    int rc = output_open(&out, path, fd, false, err);
    if (rc == 0)
        rc = output_write(&out, data, len, err);
    int closed = output_close(&out, rc == 0, err);
    return rc != 0 ? rc : closed;
}

int output_annotations(output_make make, const void *what, struct error *err)
{
    const char *set = env_get("GITHUB_ACTIONS");
    char *text = NULL;
    size_t len = 0;
    FILE *f = set && strcmp(set, "true") == 0 ? open_memstream(&text, &len) : NULL;
    if (!f)
        return 0;
    fputc('\n', f); /* an annotation begins a line, and a program may have left one open */
    make(f, what);
    fclose(f);
    int rc = len > 1 ? output_document(NULL, STDERR_FILENO, text, len, err) : 0;
    free(text);
    return rc;
}

size_t output_describe(char *out, size_t size, const char *path, double seconds)
{
    char bytes[VALUE_TEXT_MAX], took[VALUE_TEXT_MAX];
    char *name = path ? shell_path(path) : xstrdup("standard output");
    struct stat st;
    size_t n = print_line(out, size, "wrote %.*s", (int)(size / 2), name);
    if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        const struct value v = value_ok((double)st.st_size, UNIT_BYTES);
        n += print_line(out + n, size - n, ", %s", value_format(&v, true, bytes));
    }
    if (!isnan(seconds))
        n += print_line(out + n, size - n, ", %s", value_time(1e9 * seconds, true, took));
    free(name);
    return n;
}

void output_written(const char *path, double seconds, const char *then)
{
    char line[1000];
    char *name = shell_path(path);
    const size_t n = output_describe(line, 640, path, seconds);
    if (!then)
        print_line(line + n, sizeof line - n, "; open it: rooftop %.300s", name);
    else if (*then)
        print_line(line + n, sizeof line - n, "; %.500s", then);
    exit_note(line);
    free(name);
}

int output_file(const char *path, const char *data, size_t len, struct error *err)
{
    return output_document(path, STDOUT_FILENO, data, len, err);
}
