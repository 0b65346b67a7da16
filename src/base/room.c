#include "base/room.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int room_missing(const char *folder, size_t bytes)
{
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int code = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)bytes);
    if (fd >= 0)
        close(fd);
    return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EROFS ? code : 0;
}
