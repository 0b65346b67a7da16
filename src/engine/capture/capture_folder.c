/* Opens files of a capture's folder. Their names come from its documents, which are not trusted. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/capture/capture_impl.h"

enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/* For kernels without openat2, or sandboxes that forbid it: opens one component after the other
 * and follows no links. */
static int open_by_names(int folder, const char *file)
{
    char name[256];
    int at = folder, fd;
    for (const char *p = file;; p += strlen(name) + 1) {
        size_t n = strcspn(p, "/");
        if (n == 0 || n >= sizeof name || (n == 2 && p[0] == '.' && p[1] == '.')) {
            fd = -1;
            errno = EXDEV;
        } else {
            snprintf(name, sizeof name, "%.*s", (int)n, p);
            fd = openat(at, name, (p[n] ? O_PATH | O_DIRECTORY | O_CLOEXEC : FLAGS) | O_NOFOLLOW);
        }
        int code = errno;
        if (at != folder)
            close(at);
        errno = code;
        if (fd < 0 || !p[n])
            return fd;
        at = fd;
    }
}

static int open_beneath(int folder, const char *file)
{
    struct open_how how = {.flags = FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    if (file[0] == '/') {
        errno = EXDEV;
        return -1;
    }
    long fd;
    do
        fd = syscall(SYS_openat2, folder, file, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_by_names(folder, file) : (int)fd;
}

int capture_file_open(const struct capture_own *o, const char *file, int *fd, uint64_t *size,
                      struct error *err)
{
    struct stat st;
    *fd = open_beneath(o->folder, file);
    if (*fd < 0)
        return capture_refuse(o, err, file, NULL, "%s",
                              errno == EXDEV || errno == ELOOP ? "it leads out of the capture"
                                                               : strerror(errno));
    if (fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(*fd);
        *fd = -1;
        return capture_refuse(o, err, file, NULL, "not a regular file");
    }
    *size = (uint64_t)st.st_size;
    return 0;
}

bool capture_file_is(const struct capture_own *o, const char *file)
{
    struct stat st;
    return fstatat(o->folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int capture_file_read(struct capture_own *o, const char *file, size_t most, char **text, size_t *n,
                      struct error *err)
{
    int fd;
    uint64_t size = 0;
    int rc = capture_file_open(o, file, &fd, &size, err);
    if (rc)
        return rc;
    if (size > most) {
        close(fd);
        return capture_refuse(o, err, file, NULL, "%llu bytes, %zu at most",
                              (unsigned long long)size, most);
    }
    char *p = arena_alloc(&o->memory, (size_t)size + 1);
    size_t done = 0;
    ssize_t k = 0;
    while (done < size &&
           ((k = read(fd, p + done, (size_t)size - done)) > 0 || (k < 0 && errno == EINTR)))
        done += k > 0 ? (size_t)k : 0;
    int code = k < 0 ? errno : 0;
    close(fd);
    if (code)
        return capture_refuse(o, err, file, NULL, "%s", strerror(code));
    *text = p;
    *n = done;
    return 0;
}

int capture_file_check(const struct capture_own *o, const struct capture_blob *b, uint64_t size,
                       struct error *err)
{
    int fd;
    uint64_t found = 0, expected = b->encoding == CAPTURE_RAW ? size : b->stored;
    int rc = capture_file_open(o, b->file, &fd, &found, err);
    if (rc)
        return rc;
    close(fd);
    if (found == expected)
        return 0;
    return capture_refuse(o, err, b->file, NULL, "it has %llu bytes, not %llu%s",
                          (unsigned long long)found, (unsigned long long)expected,
                          found < expected ? ": it is cut off" : "");
}
