#include "engine/capture/capture_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/capture.h"

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* Whether the name is that of a file in memory/, after/ or variables/. */
static bool is_blob(const char *name)
{
    return ends_with(name, ".bin") || ends_with(name, ".bin.zst");
}

static int empty_folder(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return -ENOMEM;
    }
    for (struct dirent *e; rc == 0 && (e = readdir(d));)
        if (is_blob(e->d_name) && unlinkat(fd, e->d_name, 0) != 0)
            rc = -errno;
    closedir(d);
    if (rc == 0 && unlinkat(at, name, AT_REMOVEDIR) != 0)
        rc = -errno;
    return rc;
}

static int remove_file(int at, const char *name)
{
    return unlinkat(at, name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

static int empty_capture_folder(int fd)
{
    static const char *const files[] = {CAPTURE_COMPLETE, CAPTURE_KERNARG, CAPTURE_CODE,
                                        CAPTURE_REGIONS, CAPTURE_DISPATCH};
    static const char *const folders[] = {CAPTURE_MEMORY, CAPTURE_AFTER, CAPTURE_VARIABLES};
    int rc = remove_file(fd, files[0]);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && rc == 0; i++)
        rc = empty_folder(fd, folders[i]);
    for (size_t i = 1; i < sizeof files / sizeof *files && rc == 0; i++)
        rc = remove_file(fd, files[i]);
    return rc;
}

int capture_remove(const char *path, struct error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s",
                         errno == ELOOP || errno == ENOTDIR
                             ? "not deleted: it is a link or no folder"
                             : strerror(errno));
    if (fstatat(fd, CAPTURE_DISPATCH, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        close(fd);
        return error_set(err, ERROR_OUTPUT, EINVAL, NULL, path, "not deleted: it is no capture");
    }
    int rc = empty_capture_folder(fd);
    close(fd);
    if (rc == 0 && rmdir(path) != 0)
        rc = -errno;
    if (rc == 0)
        return 0;
    return error_set(err, ERROR_OUTPUT, -rc, NULL, path, "%s",
                     rc == -ENOTEMPTY || rc == -EEXIST
                         ? "it contains a file that is no part of a capture; that file was kept"
                         : strerror(-rc));
}
