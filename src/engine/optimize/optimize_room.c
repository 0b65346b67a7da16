/*
 * Whether a build failed because there is no room for what it writes: that says nothing about the
 * candidate. The builder's messages are not searched for it, as a candidate may make them: as much
 * is written as a build needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/optimize/optimize_impl.h"

enum { LEAST = 64 << 10 };

/* Tries to write a file of n bytes that has no name. Returns ENOSPC and the like where there is no
 * room for it, else 0: other errors are not about room. */
static int try_room(const char *folder, off_t n)
{
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int code = fd < 0 ? errno : posix_fallocate(fd, 0, n);
    if (fd >= 0)
        close(fd);
    return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EROFS ? code : 0;
}

int optimize_room(const struct optimizing *o, struct error *err)
{
    const char *temporary = env_get("TMPDIR");
    const char *folders[] = {o->plan->folder, temporary && *temporary ? temporary : "/tmp"};
    char object[OPTIMIZE_PATH];
    struct stat st;
    optimize_object(o, 0, false, object);
    const off_t wanted = LEAST + (stat(object, &st) == 0 ? st.st_size : 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const int code = try_room(folders[i], wanted);
        if (code)
            return error_set(err, ERROR_OUTPUT, code, "make room, then go on with --resume",
                             folders[i], "a build failed, and %lld bytes cannot be written: %s",
                             (long long)wanted, strerror(code));
    }
    return 0;
}
