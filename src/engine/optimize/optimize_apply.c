#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/optimize/optimize.h"
#include "engine/value/text_file.h"

enum { BACKUPS_MOST = 1000 };

static int not_written(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code, NULL, path, "%s", strerror(code));
}

/* Whether the file still has these bytes. */
static int unchanged(const char *path, const char *original, size_t n, struct error *err)
{
    char *text = NULL;
    size_t now = 0;
    int rc = text_file_read_most(&text, &now, path, PROPOSAL_BYTES, err);
    if (rc == 0 && (now != n || memcmp(text, original, n) != 0))
        rc = error_set(err, ERROR_OUTPUT, EBUSY, "the winner is in the folder of the run", path,
                       "it has changed since it was read, so it is left as it is");
    free(text);
    return rc;
}

/* Writes and syncs a new file. 0 or errno. */
static int write_new(const char *path, const char *text, size_t n, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno;
    int code = 0;
    for (size_t at = 0; at < n && code == 0;) {
        const ssize_t put = write(fd, text + at, n - at);
        if (put > 0)
            at += (size_t)put;
        else if (put == 0 || errno != EINTR)
            code = put == 0 ? ENOSPC : errno;
    }
    if (code == 0 && (fchmod(fd, mode & 07777) != 0 || fsync(fd) != 0))
        code = errno;
    if (close(fd) != 0 && code == 0)
        code = errno;
    if (code)
        unlink(path);
    return code;
}

/* Copies the original to the first name that is free. */
static int keep_backup(const char *source, const char *original, size_t n, mode_t mode,
                       char backup[OPTIMIZE_PATH], struct error *err)
{
    int code = EEXIST;
    for (unsigned i = 0; code == EEXIST && i < BACKUPS_MOST; i++) {
        if (i == 0)
            snprintf(backup, OPTIMIZE_PATH, "%.490s.orig", source);
        else
            snprintf(backup, OPTIMIZE_PATH, "%.490s.orig.%u", source, i);
        code = write_new(backup, original, n, mode);
    }
    return code ? not_written(backup, code, err) : 0;
}

/* A rename is only safe on the disk once its folder is. */
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

int optimize_apply(const char *source, const char *original, size_t n_original, const char *text,
                   size_t n, char backup[OPTIMIZE_PATH], struct error *err)
{
    char temporary[OPTIMIZE_PATH];
    struct stat st;
    /* Behind a link stands the file that is meant; a rename would replace the link. */
    char *path = realpath(source, NULL);
    if (!path || stat(path, &st) != 0) {
        const int code = errno;
        free(path);
        return not_written(source, code, err);
    }
    int rc = unchanged(path, original, n_original, err);
    rc = rc ? rc : keep_backup(path, original, n_original, st.st_mode, backup, err);
    if (rc == 0) {
        snprintf(temporary, sizeof temporary, "%.480s.rooftop-%ld", path, (long)getpid());
        const int code = write_new(temporary, text, n, st.st_mode);
        rc = code ? not_written(temporary, code, err) : unchanged(path, original, n_original, err);
        if (rc == 0 && rename(temporary, path) != 0)
            rc = not_written(path, errno, err);
        if (rc != 0) {
            if (!code)
                unlink(temporary);
            unlink(backup);
        }
    }
    if (rc == 0)
        sync_folder(path);
    free(path);
    return rc;
}
