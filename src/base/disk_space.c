#include "base/disk_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns 0 or an errno. */
static int reserve_file_bytes(const char *folder, size_t bytes)
{
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int code = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)bytes);
    if (fd >= 0)
        close(fd);
    return code;
}

static bool is_about_room(int code)
{
    return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EROFS;
}

int disk_space_missing(const char *folder, size_t bytes)
{
    const int code = reserve_file_bytes(folder, bytes);
    return is_about_room(code) ? code : 0;
}

const char *disk_space_refuses(const char *folder, size_t bytes, char out[DISK_SPACE_WHY])
{
    const int code = reserve_file_bytes(folder, bytes);
    if (code == ENOENT || code == ENOTDIR)
        snprintf(out, DISK_SPACE_WHY, "there is no folder %.100s", folder);
    else if (code == ENOSPC || code == EDQUOT)
        snprintf(out, DISK_SPACE_WHY, "%.100s is full", folder);
    else if (code == EACCES || code == EPERM || is_about_room(code))
        snprintf(out, DISK_SPACE_WHY, "%.80s cannot be written: %s", folder, strerror(code));
    else /* some file systems have no unnamed files */
        return NULL;
    return out;
}
