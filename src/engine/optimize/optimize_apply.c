#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/optimize/optimize.h"
#include "base/temporary.h"
#include "engine/value/text_file.h"

enum { BACKUPS_MOST = 1000 };

static int not_written(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code, "the winner is in the folder of the run", path, "%s",
                     strerror(code));
}

/* Whether a regular file has these bytes. */
static bool has_bytes(const char *path, const char *bytes, size_t n)
{
    struct stat st;
    struct error ignored = ERROR_INIT;
    char *text = NULL;
    size_t now = 0;
    const bool same = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == n &&
                      text_file_read_most(&text, &now, path, PROPOSAL_BYTES, &ignored) == 0 &&
                      now == n && memcmp(text, bytes, n) == 0;
    free(text);
    return same;
}

static int check_file_unchanged(const char *path, const char *original, size_t n, struct error *err)
{
    return has_bytes(path, original, n)
               ? 0
               : error_set(err, ERROR_OUTPUT, EBUSY, "the winner is in the folder of the run", path,
                           "it has changed since it was read, so it is left as it is");
}

/* Writes and syncs a file. 0 or errno. */
static int fill_file(int fd, const char *text, size_t n, mode_t mode)
{
    int code = 0;
    for (size_t at = 0; at < n && code == 0;) {
        const ssize_t put = write(fd, text + at, n - at);
        if (put > 0)
            at += (size_t)put;
        else if (put == 0 || errno != EINTR)
            code = put == 0 ? ENOSPC : errno;
    }
    return code == 0 && (fchmod(fd, mode & 07777) != 0 || fsync(fd) != 0) ? errno : code;
}

/* The same for a file that is made. */
static int write_new(const char *path, const char *text, size_t n, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno;
    int code = fill_file(fd, text, n, mode);
    if (close(fd) != 0 && code == 0)
        code = errno;
    if (code)
        unlink(path);
    return code;
}

/* The same for a temporary file in the folder of another one; its descriptor is *fd. */
static int write_temporary(const char *beside, char temporary[OPTIMIZE_PATH], const char *text,
                           size_t n, mode_t mode, int *fd)
{
    *fd = temporary_file(beside, temporary, OPTIMIZE_PATH);
    const int code = *fd < 0 ? -*fd : fill_file(*fd, text, n, mode);
    if (*fd >= 0 && code) {
        unlink(temporary);
        close(*fd);
    }
    return code;
}

/* A rename is durable only once its folder is synced. */
static void sync_folder(const char *path)
{
    char folder[OPTIMIZE_PATH];
    snprintf(folder, sizeof folder, "%.500s", path);
    char *last = strrchr(folder, '/');
    if (last)
        last[last == folder] = '\0';
    const int fd = open(last ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Gives a complete file a new name that no file has yet. 0 or errno. */
static int name_whole(const char *temporary, const char *name, const char *text, size_t n,
                      mode_t mode)
{
    if (link(temporary, name) == 0)
        return 0;
    return errno == EEXIST ? EEXIST : write_new(name, text, n, mode); /* a disk without links */
}

/* Copies the original to the first unused name, or finds a copy that an earlier run made. A file
 * of that name is always complete. *made: the copy is new. */
static int keep_backup(const char *source, const char *original, size_t n, mode_t mode,
                       char backup[OPTIMIZE_PATH], bool *made, struct error *err)
{
    char temporary[OPTIMIZE_PATH];
    int fd, code = write_temporary(source, temporary, original, n, mode, &fd);
    if (code != 0)
        return not_written(source, code, err);
    code = EEXIST;
    for (unsigned i = 0; code == EEXIST && i < BACKUPS_MOST; i++) {
        if (i == 0)
            snprintf(backup, OPTIMIZE_PATH, "%.490s.orig", source);
        else
            snprintf(backup, OPTIMIZE_PATH, "%.490s.orig.%u", source, i);
        code = name_whole(temporary, backup, original, n, mode);
        *made = code == 0;
        if (code == EEXIST && has_bytes(backup, original, n))
            code = 0;
    }
    unlink(temporary);
    close(fd);
    return code ? not_written(backup, code, err) : 0;
}

/* Replaces the file by a new one, if it still has the original's bytes. */
static int replace_file(const char *path, const char *original, size_t n_original, const char *text,
                        size_t n, mode_t mode, struct error *err)
{
    char temporary[OPTIMIZE_PATH];
    int fd, code = write_temporary(path, temporary, text, n, mode, &fd);
    if (code)
        return not_written(path, code, err);
    int rc = check_file_unchanged(path, original, n_original, err);
    if (rc == 0 && rename(temporary, path) != 0)
        rc = not_written(path, errno, err);
    if (rc != 0)
        unlink(temporary);
    close(fd);
    return rc;
}

int optimize_apply(const char *source, const char *original, size_t n_original, const char *text,
                   size_t n, char backup[OPTIMIZE_PATH], struct error *err)
{
    struct stat st;
    bool made = false;
    /* Follows a link to the file that it points to: a rename would replace the link. */
    char *path = realpath(source, NULL);
    if (!path || stat(path, &st) != 0) {
        const int code = errno;
        free(path);
        return not_written(source, code, err);
    }
    int rc = check_file_unchanged(path, original, n_original, err);
    if (rc == 0)
        rc = keep_backup(path, original, n_original, st.st_mode, backup, &made, err);
    if (rc == 0) {
        sync_folder(path); /* the backup is on the disk before the original is gone */
        rc = replace_file(path, original, n_original, text, n, st.st_mode, err);
        if (rc != 0 && made)
            unlink(backup);
    }
    if (rc == 0)
        sync_folder(path);
    free(path);
    return rc;
}
