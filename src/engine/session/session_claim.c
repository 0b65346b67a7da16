#include "engine/session/session_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/session/session.h"

enum { TRIES = 8 };
#define LOCK_AT                                                                                    \
    ((off_t)1 << 40) /* beyond the bytes that SQLite locks, and beyond the end of any file */

static int refuse_path(const char *path, int code, const char *help, const char *why,
                       struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code, help, path, "%s", why);
}

/* Locks the file; true if another recorder holds the lock. The lock belongs to the open file
 * description, not to the process, so it survives when SQLite closes another descriptor of the
 * file. On a file system without locks the check is skipped. */
static bool locked_by_another(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
}

static bool is_same_session_file(int fd, const char *path, struct stat *state)
{
    struct stat there;
    return fstat(fd, state) == 0 && stat(path, &there) == 0 && state->st_dev == there.st_dev &&
           state->st_ino == there.st_ino;
}

static int remove_session_files(const char *path, struct error *err)
{
    static const char *const beside[] = {"-wal", "-shm", "-journal"};
    char name[4200];
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
    return unlink(path) == 0 ? 0 : refuse_path(path, errno, NULL, strerror(errno), err);
}

/* Refuses a path that must not be overwritten, before anything is opened for writing. */
static int check_path(const char *path, bool replace, struct error *err)
{
    struct stat state;
    if (stat(path, &state) != 0)
        return errno == ENOENT ? 0 : refuse_path(path, errno, NULL, strerror(errno), err);
    if (!S_ISREG(state.st_mode))
        return refuse_path(path, EINVAL, "name a file", "not a regular file", err);
    if (state.st_size > 0 && !session_recognise(path))
        return refuse_path(path, EEXIST, "choose another name",
                           "it exists and is no session of rooftop", err);
    if (state.st_size > 0 && !replace)
        return refuse_path(path, EEXIST, "choose another name, or give --replace", "it exists",
                           err);
    return 0;
}

int session_claim(const char *path, bool replace, struct error *err)
{
    struct stat state;
    for (int tries = 0; tries < TRIES; tries++) {
        int rc = check_path(path, replace, err);
        if (rc != 0)
            return rc;
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
        if (fd < 0)
            return refuse_path(path, errno, "choose another file or directory", strerror(errno),
                               err);
        if (locked_by_another(fd)) {
            close(fd);
            return refuse_path(path, EBUSY, "end that one, or choose another name",
                               "another rooftop records into it", err);
        }
        /* We hold the lock: an earlier recorder has ended, and a later one will see that we are
         * here. */
        bool same = is_same_session_file(fd, path, &state);
        if (same && state.st_size == 0)
            return fd;
        rc = same && replace ? remove_session_files(path, err) : 0;
        close(fd);
        if (rc != 0)
            return rc;
    }
    return refuse_path(path, EBUSY, "choose another name", "others replace it again and again",
                       err);
}
